import { hash } from "node:crypto";
import { z } from "zod";
import type { LedgerCheckpointsTable } from "#platform/store";
import { canonicalJson } from "./canonical-json.ts";
import type { LedgerKeys, TrustedKey } from "./keys.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/);

/** A signed statement: with this many records, the workspace's tree had this root. */
export const checkpointSchema = z.strictObject({
  v: z.literal(1),
  workspace: z.string().min(1),
  size: z.number().int().positive(),
  root: hex,
  ts: z.number().int().nonnegative(),
  /** The id of the key that signed. */
  key: z.string().regex(/^[0-9a-f]{32}$/),
  /** The hash of the checkpoint before, so that one left out of the middle is missed. */
  previous: hex.nullable(),
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
});

export type Checkpoint = z.infer<typeof checkpointSchema>;
export type CheckpointBody = Omit<Checkpoint, "v" | "key" | "signature">;

export function signCheckpoint(body: CheckpointBody, keys: LedgerKeys): Checkpoint {
  const unsigned = { v: 1 as const, key: keys.id, ...body };
  return { ...unsigned, signature: keys.sign(signedText(unsigned)) };
}

/** Why the checkpoint does not count; undefined if it does. */
export function checkpointProblem(
  checkpoint: Checkpoint,
  trusted: ReadonlyMap<string, TrustedKey>,
): "key_unknown" | "signature_wrong" | undefined {
  const key = trusted.get(checkpoint.key);
  if (key === undefined) return "key_unknown";
  return key.verify(signedText(checkpoint), checkpoint.signature) ? undefined : "signature_wrong";
}

/** What the next checkpoint names this one by. */
export function checkpointHash(checkpoint: Checkpoint): string {
  return hash("sha256", signedText(checkpoint), "hex");
}

/** The first line keeps the signature from meaning anything in another protocol. */
function signedText({ v, workspace, size, root, ts, key, previous }: Omit<Checkpoint, "signature">): string {
  return `stoa ledger checkpoint\n${canonicalJson({ v, workspace, size, root, ts, key, previous })}`;
}

export function toRow(checkpoint: Checkpoint, previousSize: number): LedgerCheckpointsTable {
  return {
    workspace_id: checkpoint.workspace,
    size: checkpoint.size,
    previous_size: previousSize,
    root: checkpoint.root,
    ts: checkpoint.ts,
    key_id: checkpoint.key,
    previous: checkpoint.previous,
    signature: checkpoint.signature,
  };
}

export function fromRow(row: LedgerCheckpointsTable): Checkpoint {
  return {
    v: 1,
    workspace: row.workspace_id,
    size: row.size,
    root: row.root,
    ts: row.ts,
    key: row.key_id,
    previous: row.previous,
    signature: row.signature,
  };
}
