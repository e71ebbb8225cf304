import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Store } from "./store.ts";

/** A folder means embedded SQLite, a URL means PostgreSQL. */
export type StoreLocation = { readonly home: string } | { readonly url: string };

export interface StoreOptions {
  readonly log: Logger;
  /** A write transaction that sends nothing for this long is rolled back: it would hold up others for ever. */
  readonly idleInTransactionMs?: number;
  /** Writes and reads that may wait at one time; more are refused with RATE_LIMITED. SQLite only. */
  readonly maxPending?: number;
  /** Threads that read beside the writer. SQLite only. */
  readonly readers?: number;
  /** Connections at most. PostgreSQL only. */
  readonly poolSize?: number;
  /** The server ends a statement that runs longer. PostgreSQL only. */
  readonly statementTimeoutMs?: number;
  /** How often the first connection is tried. PostgreSQL only. */
  readonly connectAttempts?: number;
}

export async function openStore(location: StoreLocation, _options: StoreOptions): Promise<Store> {
  throw new StoaError("UNAVAILABLE", `No store at ${"home" in location ? location.home : "the URL"} yet.`);
}
