import { StoaError } from "#platform/errors";
import type { LedgerRecordsTable, Store } from "#platform/store";
import { isRecordKind, type LedgerRecord, recordKinds } from "./kinds.ts";

export interface LedgerQuery {
  readonly workspaceId: string;
  readonly kind?: string;
  /** Epoch milliseconds; from this time on. */
  readonly since?: number;
  /** Epoch milliseconds; before this time. */
  readonly until?: number;
  /** `librarian` and `agent://librarian` mean the same. */
  readonly agent?: string;
  readonly correlation?: string;
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

export interface LedgerEntry {
  readonly id: string;
  readonly workspaceId: string;
  /** Place in the chain; null for the moment between commit and sequencing. */
  readonly seq: number | null;
  readonly leaf: string;
  /** The record as it was written; where it was erased, without its personal fields. */
  readonly record: LedgerRecord;
  /** The erasure record that took the personal fields away. */
  readonly erasedBy?: string;
}

export interface LedgerPage {
  readonly entries: LedgerEntry[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

export const queryLimits = { page: 1_000, defaultPage: 100 } as const;

/** Records, newest first. */
export async function queryRecords(store: Store, query: LedgerQuery): Promise<LedgerPage> {
  const { workspaceId, kind, since, until, correlation, cursor } = query;
  const limit = Math.min(Math.max(1, Math.trunc(query.limit ?? queryLimits.defaultPage)), queryLimits.page);
  if (kind !== undefined && !isRecordKind(kind)) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `kind "${kind}" does not exist; choose one of ${recordKinds.join(", ")}.`,
    );
  }
  // One query for each spelling: with both in one, the index would no longer give the newest first.
  const spellings = query.agent === undefined ? [undefined] : spellingsOf(query.agent);
  const before = cursor === undefined ? undefined : readCursor(cursor);
  const matching = (placed: boolean, agent: string | undefined) => {
    let select = store.db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", placed ? "is not" : "is", null);
    if (kind !== undefined) select = select.where("kind", "=", kind);
    if (since !== undefined) select = select.where("ts", ">=", since);
    if (until !== undefined) select = select.where("ts", "<", until);
    if (agent !== undefined) select = select.where("agent", "=", agent);
    if (correlation !== undefined) select = select.where("correlation", "=", correlation);
    if (before !== undefined) {
      const { ts, id } = before;
      select = select
        .where("ts", "<=", ts)
        .where((where) => where.or([where("ts", "<", ts), where("id", "<", id)]));
    }
    return select
      .orderBy("ts", "desc")
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
  };
  // Records with a place are indexed, those that wait are few. The latter first: one that gets its place in between
  // is then seen twice, and not never.
  const found = new Map<string, LedgerRecordsTable>();
  for (const placed of [false, true]) {
    for (const agent of spellings) {
      for (const row of await matching(placed, agent)) found.set(row.id, row);
    }
  }
  const rows = [...found.values()].sort((a, b) => b.ts - a.ts || (a.id < b.id ? 1 : -1));
  const entries = rows.slice(0, limit).map(toEntry);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last === undefined ? { entries } : { entries, next: writeCursor(last) };
}

/** Records of a call name an agent by its id or by its address, whichever the caller was known by. */
function spellingsOf(agent: string): string[] {
  const scheme = "agent://";
  const id = agent.startsWith(scheme) ? agent.slice(scheme.length) : agent;
  return [id, `${scheme}${id}`];
}

export function toEntry(row: LedgerRecordsTable): LedgerEntry {
  const record = {
    kind: row.kind,
    ts: row.ts,
    tenantId: row.workspace_id,
    ...fieldsIn(row.meta),
    ...fieldsIn(row.payload ?? "{}"),
  } as LedgerRecord;
  const entry = { id: row.id, workspaceId: row.workspace_id, seq: row.seq, leaf: row.leaf, record };
  return row.erasure_id === null ? entry : { ...entry, erasedBy: row.erasure_id };
}

/** A row that somebody damaged keeps nobody from seeing the others; the verification finds it. */
function fieldsIn(json: string): object {
  try {
    const fields: unknown = JSON.parse(json);
    return typeof fields === "object" && fields !== null ? fields : {};
  } catch {
    return {};
  }
}

function writeCursor({ ts, id }: { ts: number; id: string }): string {
  return Buffer.from(`${ts}:${id}`).toString("base64url");
}

function readCursor(cursor: string): { ts: number; id: string } {
  const [, ts, id] = /^(\d{1,16}):(.{1,512})$/s.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (ts === undefined || id === undefined) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      "cursor is not one that a query returned as `next`; leave it out to begin.",
    );
  }
  return { ts: Number(ts), id };
}
