import { hash } from "node:crypto";
import { StoaError } from "#platform/errors";
import type { LedgerRecordsTable } from "#platform/store";
import { canonicalJson, isPlain, quoted } from "./canonical-json.ts";
import { isRecordKind, kinds, type LedgerRecord } from "./kinds.ts";

/** A record as it is stored before the sequencer has given it a place. */
export type SealedRecord = Omit<LedgerRecordsTable, "seq" | "erasure_id">;

export interface SealContext {
  readonly clock: () => number;
  readonly ids: () => string;
  readonly salt: () => string;
}

/** A record that a row cannot hold makes the transaction around it fail: better to refuse it by name. */
const maxBytes = 1024 * 1024;

/** Judges a record and turns it into the row that is stored, with the leaf hash that the chain will hold. */
export function seal(record: LedgerRecord, { clock, ids, salt }: SealContext): SealedRecord {
  if (!isRecordKind(record.kind)) {
    throw invalid(`"${String(record.kind)}" is no kind of ledger record; the kinds are in ledger/kinds.ts`);
  }
  const definition = kinds[record.kind];
  const parsed = definition.schema.safeParse(record.ts === undefined ? { ...record, ts: clock() } : record);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `/${issue.path.join("/")}: ${issue.message}`);
    throw invalid(`the ${record.kind} record is not well-formed: ${issues.join("; ")}`, { issues });
  }
  const { kind, ts, tenantId } = parsed.data;
  const fields: Record<string, unknown> = parsed.data;
  const field = (name: string | undefined): string | null => {
    const value = name === undefined ? undefined : fields[name];
    return typeof value === "string" ? value : null;
  };
  const roles: { agent?: string; correlation?: string; subject?: string } = definition;
  const row = {
    id: ids(),
    workspace_id: tenantId,
    kind,
    ts,
    agent: field(roles.agent),
    correlation: field(roles.correlation),
    meta: canonicalJson(pick(fields, definition.metaFields)),
  };
  const subject = field(roles.subject);
  const { personalFields } = definition;
  const payload = personalFields.length === 0 ? null : canonicalJson(pick(fields, personalFields));
  const size = row.meta.length + (payload?.length ?? 0);
  if (size > maxBytes) {
    throw new StoaError(
      "TOO_LARGE",
      `The ${kind} record has ${size} characters; at most ${maxBytes} fit. Leave large values out and record their digest.`,
    );
  }
  if (payload === null)
    return { ...row, subject, payload, salt: null, digest: null, leaf: leafHash({ ...row, digest: null }) };
  const fresh = salt();
  const digest = payloadDigest(fresh, payload, subject);
  return { ...row, subject, payload, salt: fresh, digest, leaf: leafHash({ ...row, digest }) };
}

function pick(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/** What the leaf commits to. Whoever holds these can compute it, with or without the payload. */
export type LeafFields = Pick<
  LedgerRecordsTable,
  "id" | "workspace_id" | "kind" | "ts" | "agent" | "correlation" | "meta" | "digest"
>;

/**
 * RFC 6962's leaf: SHA-256 over 0x00 and the canonical JSON of the record's metadata. `meta` is canonical already, and
 * the names stand in canonical order, so the text is put together rather than sorted again.
 */
export function leafHash(row: LeafFields): string {
  return hash("sha256", `\0${leafText(row)}`, "hex");
}

export function leafText(row: LeafFields): string {
  const { agent, correlation, id, kind, meta, digest, ts, workspace_id } = row;
  // One look at all of them: names that need escaping are rare, and this is done for every record of a verification.
  const quote = isPlain(`${agent}${correlation}${id}${kind}${digest}${workspace_id}`) ? inQuotes : quoted;
  return (
    `{"agent":${agent === null ? null : quote(agent)},"correlation":${correlation === null ? null : quote(correlation)},` +
    `"id":${quote(id)},"kind":${quote(kind)},"meta":${meta},"payload":${digest === null ? null : quote(digest)},` +
    `"ts":${ts},"v":1,"workspace":${quote(workspace_id)}}`
  );
}

function inQuotes(text: string): string {
  return `"${text}"`;
}

/** The salt keeps a payload that is easy to guess from being guessed out of its digest once it is erased. */
export function payloadDigest(salt: string, payload: string, subject: string | null): string {
  return hash(
    "sha256",
    `${salt}{"data":${payload},"subject":${subject === null ? null : quoted(subject)}}`,
    "hex",
  );
}

function invalid(problem: string, details?: Record<string, unknown>): StoaError {
  return new StoaError(
    "INVALID_ARGUMENT",
    `The record was not written: ${problem}.`,
    details ? { details } : {},
  );
}
