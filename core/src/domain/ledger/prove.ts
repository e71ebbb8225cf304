import { z } from "zod";
import { StoaError } from "#platform/errors";
import type { Store } from "#platform/store";
import { checkpointProblem, checkpointSchema, fromRow } from "./checkpoint.ts";
import { continuationProblems, continuationSchema, keysIn } from "./consistency.ts";
import { exportedRecordSchema, fromExported, toExported } from "./export.ts";
import { type LedgerKeys, parsePublicKeys, type TrustedKey } from "./keys.ts";
import { inclusionPath, rootFromInclusion } from "./merkle/index.ts";
import { leafHash, payloadDigest } from "./seal.ts";
import { tileSource } from "./tree-store.ts";

/** All that is needed to see that a record is in the ledger, for someone who has nothing but the public key. */
export const proofSchema = z.strictObject({
  type: z.literal("stoa-ledger-proof"),
  v: z.literal(1),
  record: exportedRecordSchema,
  /** The siblings on the way from the record's leaf to the root, RFC 6962. */
  path: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(64),
  checkpoint: checkpointSchema,
  /** PEM of the key that signed; to be compared with one that came another way. */
  publicKey: z.string(),
});
export type Proof = z.infer<typeof proofSchema>;

export interface ProofVerdict {
  readonly ok: boolean;
  /** What the proof shows, if it is right. */
  readonly shows: string;
  /** Why not, one line each. */
  readonly problems: string[];
  /** Whether the key was one that the caller brought. */
  readonly pinned: boolean;
  readonly keyId: string;
}

export interface ProveOptions {
  readonly workspaceId: string;
  readonly id: string;
  /** Leaves the personal fields out: the proof holds without them. */
  readonly withoutPayload?: boolean | undefined;
}

/** Reads the record, the newest checkpoint, and the few tiles between them. */
export async function proveRecord(store: Store, keys: LedgerKeys, options: ProveOptions): Promise<Proof> {
  const { workspaceId, id, withoutPayload } = options;
  const [row, head] = await Promise.all([
    store.db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("id", "=", id)
      .executeTakeFirst(),
    store.db
      .selectFrom("ledger_checkpoints")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .orderBy("size", "desc")
      .limit(1)
      .executeTakeFirst(),
  ]);
  if (row === undefined)
    throw new StoaError("NOT_FOUND", `Workspace ${workspaceId} has no ledger record ${id}.`);
  if (row.seq === null || head === undefined || row.seq >= head.size) {
    throw new StoaError(
      "FAILED_PRECONDITION",
      `Record ${id} waits for its place in the chain; retry in a moment.`,
    );
  }
  const checkpoint = fromRow(head);
  const key = keys.trusted.get(checkpoint.key);
  if (key === undefined) {
    throw new StoaError(
      "LEDGER_BROKEN",
      `The newest checkpoint is signed with the unknown key ${checkpoint.key}.`,
    );
  }
  const { payload, salt, subject, ...bare } = toExported(row);
  const proof: Proof = {
    type: "stoa-ledger-proof",
    v: 1,
    record: withoutPayload ? bare : toExported(row),
    path: await inclusionPath(tileSource(store.db, workspaceId), row.seq, checkpoint.size),
    checkpoint,
    publicKey: key.pem,
  };
  const problems = inclusionProblems(proof, [key]);
  if (problems.length > 0) {
    throw new StoaError("LEDGER_BROKEN", `Record ${id} cannot be proven: ${problems.join(" ")}`, {
      details: { problems },
    });
  }
  return proof;
}

/** Checks a proof of either type with nothing at hand but, if the caller has one, the key that is trusted. */
export function checkProof(input: unknown, trusted?: readonly TrustedKey[]): ProofVerdict {
  const parsed = anyProofSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = `/${issue?.path.join("/") ?? ""}`;
    throw new StoaError(
      "FILE_INVALID",
      `This is no proof of the ledger: at ${where}, ${issue?.message ?? "it is malformed"}.`,
    );
  }
  const proof = parsed.data;
  const pinned = trusted !== undefined;
  if (proof.type === "stoa-ledger-continuation") {
    const problems = continuationProblems(proof, trusted ?? keysIn(proof));
    const shows = `The ledger of ${proof.later.size} records begins with the one of ${proof.earlier.size}`;
    return { ok: problems.length === 0, shows, problems, pinned, keyId: proof.later.key };
  }
  const problems = inclusionProblems(
    proof,
    trusted ?? parsePublicKeys(proof.publicKey, "the proof's publicKey"),
  );
  const shows = `Record ${proof.record.id} is in the ledger, at ${proof.record.seq} of ${proof.checkpoint.size}`;
  return { ok: problems.length === 0, shows, problems, pinned, keyId: proof.checkpoint.key };
}

const anyProofSchema = z.discriminatedUnion("type", [proofSchema, continuationSchema]);

function inclusionProblems({ record, checkpoint, path }: Proof, keys: readonly TrustedKey[]): string[] {
  const problems: string[] = [];
  const signature = checkpointProblem(checkpoint, new Map(keys.map((key) => [key.id, key])));
  if (signature === "key_unknown") {
    problems.push(`The checkpoint is signed with the key ${checkpoint.key}, which is not trusted.`);
  }
  if (signature === "signature_wrong") problems.push("The checkpoint's signature is wrong.");
  const row = fromExported(record);
  if (record.workspace !== checkpoint.workspace)
    problems.push("Record and checkpoint belong to different workspaces.");
  const leaf = leafHash(row);
  if (leaf !== record.leaf) problems.push("The record's metadata does not lead to its leaf hash.");
  if (row.payload !== null && payloadDigest(row.salt ?? "", row.payload, row.subject) !== row.digest) {
    problems.push("The record's personal fields do not lead to their digest.");
  }
  if (rootFromInclusion(leaf, record.seq, checkpoint.size, path) !== checkpoint.root) {
    problems.push("The path from the record does not lead to the signed root.");
  }
  return problems;
}
