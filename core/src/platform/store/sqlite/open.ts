import { availableParallelism } from "node:os";
import { type CompiledQuery, Kysely } from "kysely";
import { isStoaError, messageOf, StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { Gate } from "../gate.ts";
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
  const maxReaders = options.readers ?? Math.max(2, Math.min(4, availableParallelism()));
  try {
    const threads = await SqliteThreads.start({ ...options, file, maxReaders });
    return new SqliteStore(threads, new Gate(options.maxPending), options.idleInTransactionMs);
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
  readonly #gate: Gate;
  readonly #idleInTransactionMs: number;
  #closed: Promise<void> | undefined;

  constructor(threads: SqliteThreads, gate: Gate, idleInTransactionMs: number) {
    this.threads = threads;
    this.#gate = gate;
    this.#idleInTransactionMs = idleInTransactionMs;
    this.db = new Kysely<Database>({ dialect: new SqliteThreadDialect(new SqliteDriver(threads, gate)) });
  }

  transaction: Store["transaction"] = (fn) => this.db.transaction().execute(fn);

  async batch(queries: readonly CompiledQuery[]): Promise<void> {
    if (queries.length > 0) await this.#gate.pass(() => this.threads.run(queries.map(toStatement)));
  }

  ping(): Promise<void> {
    return this.#gate.pass(() => this.threads.ping());
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // A transaction whose callback never ends has been rolled back by then.
    await this.#gate.close(this.#idleInTransactionMs + 1_000);
    await this.threads.close();
  }
}
