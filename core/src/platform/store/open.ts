import type { Kysely } from "kysely";
import type { Logger } from "#platform/log";
import { type Migration, migrate, migrations as ours } from "./migrations/index.ts";
import type { Store } from "./store.ts";

/** A folder means embedded SQLite, a URL means PostgreSQL. */
export type StoreLocation = { readonly home: string } | { readonly url: string };

export interface StoreOptions {
  readonly log: Logger;
  /** How long a transaction may leave the database waiting for its next statement before it is rolled back. */
  readonly idleInTransactionMs?: number;
  /** How long a stream of rows may stay unread before it is closed. */
  readonly streamIdleMs?: number;
  /** Requests that may wait at one time; more are refused with RATE_LIMITED. */
  readonly maxPending?: number;
  /** Threads that read beside the writer. SQLite only. */
  readonly readers?: number;
  /** Connections at most. PostgreSQL only. */
  readonly poolSize?: number;
  /** The server ends a statement that runs longer. PostgreSQL only. */
  readonly statementTimeoutMs?: number;
  /** How often the first connection is tried, with growing pauses: 10 take up to 20 s. PostgreSQL only. */
  readonly connectAttempts?: number;
  /** Ends the wait for a database that does not answer yet. */
  readonly signal?: AbortSignal;
  /** The schema's history, where it is not the one that comes with the store. */
  readonly migrations?: readonly Migration[];
}

const defaults = {
  idleInTransactionMs: 10_000,
  streamIdleMs: 300_000,
  maxPending: 100_000,
  poolSize: 10,
  statementTimeoutMs: 30_000,
  connectAttempts: 10,
};

/** Opens the database, brings its schema up to date, and refuses one that a newer Stoa has written. */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const { migrations = ours, ...settings } = { ...defaults, ...options };
  const store = await open(location, settings);
  try {
    const applied = await migrate(store.db as unknown as Kysely<unknown>, store.dialect, migrations);
    if (applied.length > 0) options.log.info({ applied }, "the database schema was brought up to date");
    return store;
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** Each database's own code is loaded by those who have it. */
async function open(location: StoreLocation, settings: StoreOptions & typeof defaults): Promise<Store> {
  if ("home" in location) {
    const { openSqlite } = await import("./sqlite/open.ts");
    return openSqlite(location.home, settings);
  }
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres(location.url, settings);
}
