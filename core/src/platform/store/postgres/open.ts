import {
  type CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type pg from "pg";
import type { Logger } from "#platform/log";
import { Gate } from "../gate.ts";
import type { Store } from "../store.ts";
import type { Database } from "../tables/index.ts";
import { connect, createPool, type Target, targetOf } from "./connect.ts";
import { PostgresDriver } from "./driver.ts";
import { Session } from "./session.ts";

export interface PostgresOptions {
  readonly log: Logger;
  readonly idleInTransactionMs: number;
  readonly streamIdleMs: number;
  readonly maxPending: number;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly connectAttempts: number;
}

/** Once the store is open a lost server is waited for only this often, about 3 s: a caller is waiting too. */
const reconnectAttempts = 6;
const streams = 4;

export async function openPostgres(url: string, options: PostgresOptions): Promise<PostgresStore> {
  const store = new PostgresStore(url, options);
  try {
    await store.start(options.connectAttempts);
    return store;
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

export class PostgresStore implements Store {
  readonly dialect = "postgres";
  readonly db: Kysely<Database>;
  readonly #target: Target;
  readonly #options: PostgresOptions;
  readonly #gate: Gate;
  readonly #pool: pg.Pool;
  readonly #streamPool: pg.Pool;
  readonly #stop = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(url: string, options: PostgresOptions) {
    this.#target = targetOf(url);
    this.#options = options;
    this.#gate = new Gate(options.maxPending);
    const settings = { ...options, url };
    this.#pool = createPool({ ...settings, max: options.poolSize }, options.log);
    this.#streamPool = createPool({ ...settings, max: streams }, options.log);
    const driver = new PostgresDriver({
      gate: this.#gate,
      connect: () => this.#connect(this.#pool, reconnectAttempts),
      connectStream: () => this.#connect(this.#streamPool, reconnectAttempts),
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
    const session = new Session(await this.#connect(this.#pool, attempts));
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
      const session = new Session(await this.#connect(this.#pool, 1));
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
    await this.#gate.close(this.#options.idleInTransactionMs + 1_000);
    this.#stop.abort();
    // A callback that never ends never gives its connection back; the server has closed it by now.
    const ended = Promise.all([this.#pool.end(), this.#streamPool.end()]);
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 1_000);
    await Promise.race([ended, enough]);
    clearTimeout(timer);
  }

  #connect(pool: pg.Pool, attempts: number): Promise<pg.PoolClient> {
    return connect(pool, this.#target, attempts, this.#stop.signal);
  }
}
