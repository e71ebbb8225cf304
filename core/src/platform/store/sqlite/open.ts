import { availableParallelism } from "node:os";
import { type CompiledQuery, Kysely } from "kysely";
import { isStoaError, messageOf, StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Store } from "../store.ts";
import type { Database } from "../tables/index.ts";
import { SqliteThreadDialect } from "./dialect.ts";
import { SqliteDriver, toStatement } from "./driver.ts";
import { prepareFile } from "./files.ts";
import { SqliteThreads } from "./threads.ts";

export interface SqliteOptions {
  readonly log: Logger;
  readonly idleInTransactionMs: number;
  readonly streamIdleMs: number;
  readonly maxPending: number;
  readonly readers?: number;
}

export async function openSqlite(home: string, options: SqliteOptions): Promise<SqliteStore> {
  const file = prepareFile(home);
  const { readers = Math.max(2, Math.min(4, availableParallelism())), ...rest } = options;
  try {
    return new SqliteStore(await SqliteThreads.start({ ...rest, file, maxReaders: readers }));
  } catch (thrown) {
    if (!isStoaError(thrown)) throw thrown;
    const cause = messageOf(thrown.cause ?? thrown);
    throw new StoaError(thrown.code, `${file}: ${thrown.message} (${cause})`, {
      details: { file },
      cause: thrown,
    });
  }
}

export class SqliteStore implements Store {
  readonly dialect = "sqlite";
  readonly db: Kysely<Database>;
  readonly threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.threads = threads;
    this.db = new Kysely<Database>({ dialect: new SqliteThreadDialect(new SqliteDriver(threads)) });
  }

  transaction: Store["transaction"] = (fn) => this.db.transaction().execute(fn);

  async batch(queries: readonly CompiledQuery[]): Promise<void> {
    if (queries.length > 0) await this.threads.run(queries.map(toStatement));
  }

  ping(): Promise<void> {
    return this.threads.ping();
  }

  close(): Promise<void> {
    return this.threads.close();
  }
}
