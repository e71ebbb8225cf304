import { randomBytes, randomUUIDv7 } from "node:crypto";
import { join } from "node:path";
import { CompiledQuery, sql as raw, type Transaction } from "kysely";
import type { Logger } from "#platform/log";
import type { Database, Store } from "#platform/store";
import { Chain } from "./chain.ts";
import { type Checkpoint, fromRow } from "./checkpoint.ts";
import { type Continuation, proveContinuation } from "./consistency.ts";
import { type Erased, type EraseOptions, eraseRecords } from "./erase.ts";
import { type ExportPage, exportPage } from "./export.ts";
import { loadLedgerKeys } from "./keys.ts";
import type { LedgerRecord } from "./kinds.ts";
import { CheckpointFiles, type CheckpointSink } from "./outside.ts";
import { type Proof, type ProveOptions, proveRecord } from "./prove.ts";
import { type LedgerPage, type LedgerQuery, queryRecords } from "./query.ts";
import { type SealContext, type SealedRecord, seal } from "./seal.ts";
import { Sequencer } from "./sequencer.ts";
import { type Progress, type VerifyReport, verifyStore } from "./verify/index.ts";

export interface LedgerOptions {
  readonly store: Store;
  /** STOA_HOME: `ledger.key`, `ledger.trusted` and `checkpoints/` are kept here. */
  readonly home: string;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly clock?: () => number;
  /** Ids that sort by time keep the database's pages together. */
  readonly ids?: () => string;
  readonly randomBytes?: (size: number) => Buffer;
  /** Where checkpoints go beside the files in the home. */
  readonly sinks?: readonly CheckpointSink[];
  /** How long a record may wait for others to share its batch. */
  readonly delayMs?: number;
  /** How often to look for records that nobody announced. */
  readonly pollMs?: number;
  readonly batchSize?: number;
}

export interface VerifyOptions {
  readonly workspaceId: string;
  /** The size of a checkpoint to start from. */
  readonly from?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Ledger {
  /** Writes the record in the caller's transaction: it exists if, and only if, what it records does. */
  append(trx: Transaction<Database>, record: LedgerRecord): Promise<{ id: string }>;
  /** The same as a statement for `store.batch`, for callers who write without reading. */
  statement(record: LedgerRecord): { id: string; query: CompiledQuery };
  /** Writes the record in a transaction of its own; resolves once it is durable. */
  record(record: LedgerRecord): Promise<{ id: string }>;
  query(query: LedgerQuery): Promise<LedgerPage>;
  /** Begins to order records into their chains. Until then they wait, and lose nothing by it. */
  start(): Promise<void>;
  /** Gives every committed record of the workspace its place in the chain, now. */
  sequence(workspaceId: string): Promise<void>;
  verify(options: VerifyOptions): Promise<VerifyReport>;
  prove(options: ProveOptions): Promise<Proof>;
  /** Proves that the newest checkpoint continues the one of the size `from`. */
  proveContinuation(options: { workspaceId: string; from: number }): Promise<Continuation>;
  /** A stretch of the chain with all that an offline verifier needs. */
  exportPage(options: { workspaceId: string; from: number; limit?: number }): Promise<ExportPage>;
  erase(options: EraseOptions): Promise<Erased>;
  /** Newest first. */
  checkpoints(workspaceId: string, limit?: number): Promise<Checkpoint[]>;
  /** The public keys whose checkpoints count here, PEM; this core's own last. */
  publicKeys(): Promise<{ id: string; pem: string }[]>;
  /** Orders what is waiting, and stops. */
  close(): Promise<void>;
}

export function createLedger(options: LedgerOptions): Ledger {
  const { store, home, log, sinks = [], delayMs = 100, pollMs = 1_000, batchSize = 4_096 } = options;
  const clock = options.clock ?? Date.now;
  const context: SealContext = {
    clock,
    ids: options.ids ?? randomUUIDv7,
    salt: saltSource(options.randomBytes ?? randomBytes),
  };
  const opened = once(async () => {
    const outside = new CheckpointFiles(join(home, "checkpoints"));
    const keys = await loadLedgerKeys(home);
    // SQLite overwrites what it deletes and moves, instead of only unlinking it: what is erased must be gone.
    if (store.dialect === "sqlite") await raw`pragma secure_delete = 1`.execute(store.db);
    const chain = new Chain({ store, clock, keys, outside, sinks, log, batchSize });
    return { keys, outside, sequencer: new Sequencer({ store, chain, log, delayMs, pollMs }) };
  });
  let announce = (_workspaceId: string): void => {};

  // Compiled once: to put the same statement together for each record would cost more than its hashes.
  const { sql } = store.db
    .insertInto("ledger_records")
    .values(Object.fromEntries(columns.map((column) => [column, ""])) as unknown as SealedRecord)
    .compile();
  const insert = (row: SealedRecord): CompiledQuery => {
    announce(row.workspace_id);
    return CompiledQuery.raw(
      sql,
      columns.map((column) => row[column]),
    );
  };
  const append: Ledger["append"] = async (trx, record) => {
    const row = seal(record, context);
    await trx.executeQuery(insert(row));
    return { id: row.id };
  };
  const sequence: Ledger["sequence"] = async (workspaceId) =>
    (await opened()).sequencer.sequence(workspaceId);

  return {
    append,
    statement(record) {
      const row = seal(record, context);
      return { id: row.id, query: insert(row) };
    },
    async record(record) {
      const row = seal(record, context);
      await store.batch([insert(row)]);
      return { id: row.id };
    },
    query: (query) => queryRecords(store, query),
    async start() {
      const { sequencer } = await opened();
      announce = (workspaceId) => sequencer.announce(workspaceId);
      sequencer.start();
    },
    sequence,
    async verify(verify) {
      const { keys, outside } = await opened();
      return verifyStore({ ...verify, store, outside, trusted: keys.trusted });
    },
    async prove(prove) {
      await sequence(prove.workspaceId);
      return proveRecord(store, (await opened()).keys, prove);
    },
    proveContinuation: async (options) => proveContinuation(store, (await opened()).keys, options),
    exportPage: async (page) => exportPage(store, (await opened()).keys, page),
    async erase(erase) {
      await sequence(erase.workspaceId);
      const erased = await eraseRecords(store, append, erase);
      await sequence(erase.workspaceId);
      return erased;
    },
    async checkpoints(workspaceId, limit = 100) {
      const rows = await store.db
        .selectFrom("ledger_checkpoints")
        .selectAll()
        .where("workspace_id", "=", workspaceId)
        .orderBy("size", "desc")
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
    async publicKeys() {
      return [...(await opened()).keys.trusted.values()].map(({ id, pem }) => ({ id, pem }));
    },
    async close() {
      announce = () => {};
      if (opened.begun) await (await opened()).sequencer.close();
    },
  };
}

const columns = [
  "id",
  "workspace_id",
  "kind",
  "ts",
  "agent",
  "correlation",
  "meta",
  "subject",
  "payload",
  "salt",
  "digest",
  "leaf",
] as const satisfies (keyof SealedRecord)[];

function once<T>(work: () => Promise<T>): { (): Promise<T>; readonly begun: boolean } {
  let result: Promise<T> | undefined;
  const run = () => {
    result ??= work();
    return result;
  };
  return Object.defineProperty(run, "begun", { get: () => result !== undefined }) as typeof run & {
    begun: boolean;
  };
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
