import { z } from "zod";
import { StoaError } from "#platform/errors";
import type { Store } from "#platform/store";
import { type Checkpoint, checkpointProblem, checkpointSchema, fromRow } from "./checkpoint.ts";
import { type LedgerKeys, parsePublicKeys, type TrustedKey } from "./keys.ts";
import { consistencyPath, isConsistent } from "./merkle/index.ts";
import { tileSource } from "./tree-store.ts";

/** Shows whoever kept an earlier checkpoint that nothing it covered was changed since. */
export const continuationSchema = z.strictObject({
  type: z.literal("stoa-ledger-continuation"),
  v: z.literal(1),
  earlier: checkpointSchema,
  later: checkpointSchema,
  /** RFC 6962's consistency proof. */
  path: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(128),
  /** PEM of the keys that signed; to be compared with ones that came another way. */
  publicKeys: z.array(z.string()).max(2),
});
export type Continuation = z.infer<typeof continuationSchema>;

/** Proves that the newest checkpoint continues the one of this size. */
export async function proveContinuation(
  store: Store,
  keys: LedgerKeys,
  { workspaceId, from }: { readonly workspaceId: string; readonly from: number },
): Promise<Continuation> {
  const [earlier, later] = await Promise.all([
    findCheckpoint(store, workspaceId, from),
    findCheckpoint(store, workspaceId),
  ]);
  if (earlier === undefined || later === undefined) {
    throw new StoaError(
      "NOT_FOUND",
      `The ledger of workspace ${workspaceId} has no checkpoint at ${from}. Name the size of one that \`stoa audit checkpoints\` lists.`,
    );
  }
  const signers = [...new Set([earlier.key, later.key])].flatMap((id) => keys.trusted.get(id) ?? []);
  const continuation: Continuation = {
    type: "stoa-ledger-continuation",
    v: 1,
    earlier,
    later,
    path: await consistencyPath(tileSource(store.db, workspaceId), earlier.size, later.size),
    publicKeys: signers.map((key) => key.pem),
  };
  const problems = continuationProblems(continuation, signers);
  if (problems.length > 0) {
    throw new StoaError(
      "LEDGER_BROKEN",
      `The ledger does not continue its checkpoint at ${from}: ${problems.join(" ")}`,
    );
  }
  return continuation;
}

export function continuationProblems(
  { earlier, later, path }: Continuation,
  keys: readonly TrustedKey[],
): string[] {
  const trusted = new Map(keys.map((key) => [key.id, key]));
  const problems: string[] = [];
  for (const checkpoint of [earlier, later]) {
    const problem = checkpointProblem(checkpoint, trusted);
    if (problem === "key_unknown") {
      problems.push(
        `The checkpoint at ${checkpoint.size} is signed with the key ${checkpoint.key}, which is not trusted.`,
      );
    }
    if (problem === "signature_wrong")
      problems.push(`The signature of the checkpoint at ${checkpoint.size} is wrong.`);
  }
  if (earlier.workspace !== later.workspace) problems.push("The checkpoints belong to different workspaces.");
  if (!isConsistent(earlier, later, path)) {
    problems.push(`The ledger of ${later.size} records does not begin with the one of ${earlier.size}.`);
  }
  return problems;
}

export function keysIn({ publicKeys }: Continuation): TrustedKey[] {
  return publicKeys.flatMap((pem) => parsePublicKeys(pem, "the proof's publicKeys"));
}

/** The newest, where no size is named. */
async function findCheckpoint(
  store: Store,
  workspaceId: string,
  size?: number,
): Promise<Checkpoint | undefined> {
  let select = store.db.selectFrom("ledger_checkpoints").selectAll().where("workspace_id", "=", workspaceId);
  if (size !== undefined) select = select.where("size", "=", size);
  const row = await select.orderBy("size", "desc").limit(1).executeTakeFirst();
  return row && fromRow(row);
}
