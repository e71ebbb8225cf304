import type { CompiledQuery, Kysely, Transaction } from "kysely";
import type { Database } from "./tables/index.ts";

/** The database, whichever it is. What a promise here acknowledged is on disk. */
export interface Store {
  readonly dialect: "sqlite" | "postgres";
  /** Reads, and writes that are a single statement. Inside a transaction use its own handle instead. */
  readonly db: Kysely<Database>;
  /** All of `fn`'s statements or none. Resolves once they are durable. */
  transaction<T>(fn: (trx: Transaction<Database>) => Promise<T>): Promise<T>;
  /** The statements as one transaction, sent in one go: the cheapest way to write several things together. */
  batch(queries: readonly CompiledQuery[]): Promise<void>;
  /** Resolves if the database answers, and rejects with what is wrong if not. */
  ping(): Promise<void>;
  /** Lets running work finish, takes no more, and closes. */
  close(): Promise<void>;
}
