import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { Gate } from "../gate.ts";
import type { Store } from "../store.ts";
import type { Database } from "../tables/index.ts";
import { Connector } from "./connector.ts";
import { PostgresDriver } from "./driver.ts";
import { createPool, targetOf } from "./pool.ts";
import { Session } from "./session.ts";

export interface PostgresOptions {
  readonly log: Logger;
  readonly idleInTransactionMs: number;
  readonly streamIdleMs: number;
  readonly maxPending: number;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly connectAttempts: number;
  readonly signal?: AbortSignal;
}

/** Once the store is open a lost server is waited for only this often, about 3 s: a caller is waiting too. */
const reconnectAttempts = 6;
const streams = 4;

export async function openPostgres(url: string, options: PostgresOptions): Promise<PostgresStore> {
  const { signal, connectAttempts } = options;
  const store = new PostgresStore(url, options);
  const close = () => void store.close();
  signal?.addEventListener("abort", close);
  try {
    signal?.throwIfAborted();
    await store.start(connectAttempts);
    return store;
  } catch (thrown) {
    await store.close();
    throw signal?.aborted ? StoaError.from(signal.reason) : thrown;
  } finally {
    signal?.removeEventListener("abort", close);
  }
}

export class PostgresStore implements Store {
  readonly dialect = "postgres";
  readonly db: Kysely<Database>;
  readonly #options: PostgresOptions;
  readonly #gate: Gate;
  readonly #main: Connector;
  readonly #streams: Connector;
  #closed: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    const target = targetOf(url);
    const connector = (max: number) =>
      new Connector(createPool({ ...options, url, max }, options.log), target);
    this.#options = options;
    this.#gate = new Gate(options.maxPending);
    this.#main = connector(options.poolSize);
    this.#streams = connector(streams);
    const driver = new PostgresDriver({
      gate: this.#gate,
      connect: () => Session.open(this.#main, reconnectAttempts),
      connectStream: () => Session.open(this.#streams, reconnectAttempts),
      streamIdleMs: options.streamIdleMs,
    });
    this.db = new Kysely<Database>({
      dialect: {
        createDriver: () => driver,
        createAdapter: () => new PostgresAdapter(),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  }

  /** The first connection: given more time, because the server may be starting as well. */
  async start(attempts: number): Promise<void> {
    const session = await Session.open(this.#main, attempts);
    try {
      const { rows } = await session.query("select current_setting('fsync') as fsync");
      if (rows[0]?.fsync === "off") {
        this.#options.log.warn(
          "the database server runs with fsync=off: a crash of its machine can lose data",
        );
      }
    } finally {
      session.release();
    }
  }

  transaction: Store["transaction"] = (fn) => this.db.transaction().execute(fn);

  async batch(queries: readonly CompiledQuery[]): Promise<void> {
    const [only] = queries;
    if (queries.length === 1 && only !== undefined) {
      await this.db.executeQuery(only);
    } else if (queries.length > 1) {
      await this.transaction(async (trx) => {
        for (const query of queries) await trx.executeQuery(query);
      });
    }
  }

  async ping(): Promise<void> {
    await this.#gate.pass(async () => {
      const session = await Session.open(this.#main, 1);
      try {
        await session.query("select 1");
      } finally {
        session.release();
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // A transaction whose callback never ends has been rolled back by then.
    await this.#gate.close(this.#options.idleInTransactionMs + 1_000);
    await Promise.all([this.#main.close(), this.#streams.close()]);
  }
}
