import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { createLogger } from "#platform/log";
import { openStore, type Store } from "#platform/store";
import { describeWith } from "../../../../../test/services/index.ts";
import { createLedger, type Ledger, type LedgerOptions, type LedgerRecord } from "../index.ts";

export const quiet = createLogger({ level: "silent", format: "json" });

export interface Fixture {
  readonly store: Store;
  readonly home: string;
  /** A ledger on this store and home that has no memory of what others did. */
  open(options?: Partial<LedgerOptions>): Ledger;
  close(): Promise<void>;
}

/** Opens a store of its own; `place` is a database's URL, or nothing for a SQLite file in the home. */
export async function fixture(place?: string): Promise<Fixture> {
  const home = await mkdtemp(join(tmpdir(), "stoa-ledger-"));
  const store = await openStore(place === undefined ? { home } : { url: place }, { log: quiet });
  return {
    store,
    home,
    open(options = {}) {
      return createLedger({ store, home, log: quiet, ...options });
    },
    async close() {
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A database's URL, or nothing for SQLite in a home. */
export type Place = () => Promise<string | undefined>;

/** The same tests on both databases. */
export function onBothDatabases(
  title: string,
  body: (place: Place, dialect: Store["dialect"]) => void,
): void {
  describe(`${title}, on SQLite`, () => body(async () => undefined, "sqlite"));
  describeWith(["postgres"], `${title}, on PostgreSQL`, (services) =>
    body(async () => (await services.postgres()).url, "postgres"),
  );
}

/** An invocation with something personal in it. */
export function invocation(
  n: number,
  more: Partial<Extract<LedgerRecord, { kind: "invocation" }>> = {},
): LedgerRecord {
  return {
    kind: "invocation",
    tenantId: "w",
    ts: 1_800_000_000_000 + n,
    invocationId: `i${n}`,
    capability: "review-pr",
    callerId: "agent://manager",
    outcome: "ok",
    durationMs: n / 2,
    correlationId: `c${n}`,
    userId: `user-${n % 5}`,
    args: { prUrl: `https://example.com/${n}`, note: 'Grüße \u0000 \u2028 "quoted"' },
    result: { verdict: "approve" },
    ...more,
  };
}
