import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { CompiledQuery, Transaction } from "kysely";
import type { Database, Store } from "#platform/store";
import type { LedgerRecord } from "./kinds.ts";
import { type LedgerPage, type LedgerQuery, queryRecords } from "./query.ts";
import { type SealContext, type SealedRecord, seal } from "./seal.ts";

export interface LedgerOptions {
  readonly store: Store;
  /** Epoch milliseconds. */
  readonly clock?: () => number;
  /** Ids that sort by time keep the database's pages together. */
  readonly ids?: () => string;
  readonly randomBytes?: (size: number) => Buffer;
}

export interface Ledger {
  /** Writes the record in the caller's transaction: it exists if, and only if, what it records does. */
  append(trx: Transaction<Database>, record: LedgerRecord): Promise<{ id: string }>;
  /** The same as a statement for `store.batch`, for callers who write without reading. */
  statement(record: LedgerRecord): { id: string; query: CompiledQuery };
  /** Writes the record in a transaction of its own; resolves once it is durable. */
  record(record: LedgerRecord): Promise<{ id: string }>;
  query(query: LedgerQuery): Promise<LedgerPage>;
}

export function createLedger({ store, ...options }: LedgerOptions): Ledger {
  const context: SealContext = {
    clock: options.clock ?? Date.now,
    ids: options.ids ?? randomUUIDv7,
    salt: saltSource(options.randomBytes ?? randomBytes),
  };
  const insert = (row: SealedRecord) =>
    store.db.insertInto("ledger_records").values({ ...row, seq: null, erasure_id: null });

  const ledger: Ledger = {
    async append(trx, record) {
      const row = seal(record, context);
      await trx.executeQuery(insert(row).compile());
      return { id: row.id };
    },
    statement(record) {
      const row = seal(record, context);
      return { id: row.id, query: insert(row).compile() };
    },
    async record(record) {
      const { id, query } = ledger.statement(record);
      await store.batch([query]);
      return { id };
    },
    query: (query) => queryRecords(store, query),
  };
  return ledger;
}

const saltBytes = 16;

/** Random bytes are drawn for many salts at once: a call for each would cost more than the hashes. */
function saltSource(random: (size: number) => Buffer): () => string {
  let pool: Buffer = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = random(saltBytes * 256);
      at = 0;
    }
    at += saltBytes;
    return pool.toString("hex", at - saltBytes, at);
  };
}
