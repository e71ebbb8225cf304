import { z } from "zod";
import { StoaError } from "#platform/errors";
import type { LedgerRecordsTable, Store } from "#platform/store";
import { canonicalJson } from "./canonical-json.ts";
import { type Checkpoint, checkpointSchema, fromRow } from "./checkpoint.ts";
import type { LedgerKeys } from "./keys.ts";
import { Edge } from "./merkle/index.ts";
import { tileSource } from "./tree-store.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

/** A record with all that is needed to compute its leaf again. Without `payload` it was erased, or had none. */
export const exportedRecordSchema = z.strictObject({
  type: z.literal("record"),
  seq: count,
  id: z.string(),
  workspace: z.string(),
  kind: z.string(),
  ts: count,
  agent: z.string().nullable(),
  correlation: z.string().nullable(),
  meta: z.unknown(),
  digest: hex.nullable(),
  leaf: hex,
  subject: z.string().optional(),
  payload: z.unknown().optional(),
  salt: z.string().optional(),
  erasedBy: z.string().optional(),
});

export const exportLineSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("header"),
    v: z.literal(1),
    workspace: z.string(),
    /** The first record that follows, and the tree before it, so that a file can begin anywhere. */
    from: count,
    peaks: z.array(hex),
    /** PEM. To be compared with a key that came another way. */
    keys: z.array(z.string()),
  }),
  exportedRecordSchema,
  z.strictObject({ type: z.literal("checkpoint"), ...checkpointSchema.shape }),
]);

export type ExportLine = z.infer<typeof exportLineSchema>;
export type ExportedRecord = z.infer<typeof exportedRecordSchema>;
export type ExportHeader = Extract<ExportLine, { type: "header" }>;

export interface ExportPage {
  readonly header: ExportHeader;
  /** Records in the order of the chain, each checkpoint after the last record that it covers. */
  readonly lines: (ExportedRecord | ({ type: "checkpoint" } & Checkpoint))[];
  /** The first record of the next page: the place to go on from, now or after a restart. */
  readonly next: number;
  /** Records in the chain when the page was made. */
  readonly size: number;
}

export const exportPageLimit = 1_000;

/** The records from place `from` on. Only what has its place is exported, so nothing can appear behind the cursor. */
export async function exportPage(
  store: Store,
  keys: LedgerKeys,
  { workspaceId, from, limit = exportPageLimit }: { workspaceId: string; from: number; limit?: number },
): Promise<ExportPage> {
  const head = await store.db
    .selectFrom("ledger_checkpoints")
    .select("size")
    .where("workspace_id", "=", workspaceId)
    .orderBy("size", "desc")
    .limit(1)
    .executeTakeFirst();
  const size = head?.size ?? 0;
  if (!Number.isSafeInteger(from) || from < 0 || from > size) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `from is ${from}; the ledger has the records 0 to ${size - 1}, and goes on at ${size}.`,
    );
  }
  const next = Math.min(size, from + Math.min(Math.max(1, Math.trunc(limit)), exportPageLimit));
  const [edge, rows, checkpoints] = await Promise.all([
    Edge.load(tileSource(store.db, workspaceId), from),
    store.db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">=", from)
      .where("seq", "<", next)
      .orderBy("seq")
      .execute(),
    store.db
      .selectFrom("ledger_checkpoints")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("size", ">", from)
      .where("size", "<=", next)
      .orderBy("size")
      .execute(),
  ]);
  const missing = rows.findIndex((row, i) => row.seq !== from + i);
  if (rows.length < next - from || missing >= 0) {
    const place = from + (missing >= 0 ? missing : rows.length);
    throw new StoaError(
      "LEDGER_BROKEN",
      `The record at ${place} of workspace ${workspaceId} is missing, so nothing after it is exported.`,
    );
  }
  const lines: ExportPage["lines"] = [];
  const due = checkpoints.map(fromRow);
  for (const row of rows) {
    while (due[0] && due[0].size <= (row.seq ?? 0)) lines.push(checkpointLine(due.shift()));
    lines.push(toExported(row));
  }
  for (const checkpoint of due) lines.push(checkpointLine(checkpoint));
  const header: ExportHeader = {
    type: "header",
    v: 1,
    workspace: workspaceId,
    from,
    peaks: [...edge.peaks],
    keys: [...keys.trusted.values()].map((key) => key.pem),
  };
  return { header, lines, next, size };
}

function checkpointLine(checkpoint: Checkpoint | undefined): { type: "checkpoint" } & Checkpoint {
  if (checkpoint === undefined) throw new StoaError("INTERNAL", "There was no checkpoint to export.");
  return { type: "checkpoint", ...checkpoint };
}

export function toExported(row: LedgerRecordsTable): ExportedRecord {
  return {
    type: "record",
    seq: row.seq ?? -1,
    id: row.id,
    workspace: row.workspace_id,
    kind: row.kind,
    ts: row.ts,
    agent: row.agent,
    correlation: row.correlation,
    meta: parsed(row.meta),
    digest: row.digest,
    leaf: row.leaf,
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.payload === null ? {} : { payload: parsed(row.payload) }),
    ...(row.salt === null ? {} : { salt: row.salt }),
    ...(row.erasure_id === null ? {} : { erasedBy: row.erasure_id }),
  };
}

/** The row that was exported; whatever was changed on the way shows in its hashes. */
export function fromExported(line: ExportedRecord): LedgerRecordsTable {
  return {
    id: line.id,
    workspace_id: line.workspace,
    kind: line.kind,
    ts: line.ts,
    agent: line.agent,
    correlation: line.correlation,
    meta: canonicalJson(line.meta),
    subject: line.subject ?? null,
    payload: line.payload === undefined ? null : canonicalJson(line.payload),
    salt: line.salt ?? null,
    digest: line.digest,
    leaf: line.leaf,
    seq: line.seq,
    erasure_id: line.erasedBy ?? null,
  };
}

/** A text that was damaged in the database is exported as it is: the verifier has to see it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
