import type { Kysely } from "kysely";
import { StoaError } from "#platform/errors";
import type { Database, LedgerRecordsTable, Store } from "#platform/store";
import { type Checkpoint, checkpointProblem, fromRow } from "../checkpoint.ts";
import type { TrustedKey } from "../keys.ts";
import { Edge, type Tile, tileBytes, tileKey } from "../merkle/index.ts";
import type { CheckpointFiles, DamagedLine } from "../outside.ts";
import { tileSource } from "../tree-store.ts";
import { CheckpointLine } from "./checkpoint-line.ts";
import { RecordCheck } from "./record-check.ts";
import { Findings, type Progress, type VerifyReport } from "./report.ts";
import { fetchStretch, headSize, lastPlace, storedCheckpoints, stretches } from "./stored.ts";
import { walk } from "./walk.ts";

export interface VerifyStoreOptions {
  readonly store: Store;
  readonly outside: CheckpointFiles;
  readonly trusted: ReadonlyMap<string, TrustedKey>;
  readonly workspaceId: string;
  /** The size of a checkpoint: what it covers is taken on its word. */
  readonly from?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Holds a workspace's records against the tree, the tree against the checkpoints, and those against the ones outside. */
export async function verifyStore(options: VerifyStoreOptions): Promise<VerifyReport> {
  const { store, outside, trusted, workspaceId, from = 0, onProgress, signal } = options;
  const { db } = store;
  const findings = new Findings();
  // In this order: what is outside was in the database before, and what has a place has a checkpoint.
  const lastOutside = (await outside.last(workspaceId))?.size ?? 0;
  const records = (await lastPlace(db, workspaceId)) + 1;
  const signed = await headSize(db, workspaceId);
  const end = Math.max(records, signed);

  const edge = await startingEdge(options, from, findings);
  const check = new RecordCheck(workspaceId, findings);
  const common = { workspace: workspaceId, trusted, from, findings };
  const inside = new CheckpointLine({
    ...common,
    where: "in the database",
    checkpoints: storedCheckpoints(db, workspaceId, from, end),
  });
  const beside = new CheckpointLine({
    ...common,
    where: "outside the database",
    checkpoints: upTo(outside.read(workspaceId), Math.max(end, lastOutside)),
  });
  for (const line of [inside, beside]) await line.open();
  const compare = (tiles: readonly Tile[]) => compareTiles(db, workspaceId, tiles, findings);
  await walk(stretches(db, workspaceId, edge.size, end), {
    edge,
    records: check,
    lines: [inside, beside],
    findings,
    checkTiles: compare,
    onProgress: (checked) => onProgress?.({ unit: "records", checked, total: end }),
    signal,
  });
  await compare(edge.openTiles());
  for (const line of [inside, beside]) await line.close();

  const reached = Math.max(inside.reached, beside.reached);
  if (reached > edge.size) {
    findings.add(
      "tail_cut",
      `${reached} records were signed, and the chain ends at ${edge.size}: its end is cut off.`,
    );
  }
  if (edge.size > Math.max(inside.reached, from)) {
    findings.add(
      "record_unsigned",
      `The records from ${Math.max(inside.reached, from)} to ${edge.size - 1} have places that no checkpoint covers.`,
      { seq: Math.max(inside.reached, from) },
    );
  }
  await compareOutside(options, beside.reached, inside.reached, findings);
  await lookAhead(db, workspaceId, end, check);
  check.close();
  const waiting = await checkWaiting(db, workspaceId, check);
  return {
    ok: findings.count === 0,
    workspace: workspaceId,
    from,
    size: edge.size,
    root: edge.root,
    erased: check.erased,
    waiting,
    checkpoints: inside.checked,
    outside: beside.checked,
    problems: findings.problems,
    problemCount: findings.count,
    notes: findings.notes,
  };
}

async function startingEdge(options: VerifyStoreOptions, from: number, findings: Findings): Promise<Edge> {
  if (from === 0) return Edge.empty();
  const { store, workspaceId, trusted } = options;
  const row = await store.db
    .selectFrom("ledger_checkpoints")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("size", "=", from)
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoaError(
      "NOT_FOUND",
      `The ledger of workspace ${workspaceId} has no checkpoint at ${from}. Name the size of one that \`stoa audit checkpoints\` lists.`,
    );
  }
  const problem = checkpointProblem(fromRow(row), trusted);
  if (problem) {
    findings.add(
      `checkpoint_${problem}`,
      `The checkpoint at ${from} to start from does not count: its ${problem.replace("_", " is ")}.`,
    );
  }
  return Edge.load(tileSource(store.db, workspaceId), from);
}

/** Leaves were held against records and roots; the hashes above them are held against what they should be. */
async function compareTiles(
  db: Kysely<Database>,
  workspaceId: string,
  tiles: readonly Tile[],
  findings: Findings,
): Promise<void> {
  const upper = tiles.filter((tile) => tile.level > 0);
  if (upper.length === 0) return;
  const stored = new Map((await tileSource(db, workspaceId)(upper)).map((tile) => [tileKey(tile), tile]));
  for (const tile of upper) {
    const kept = stored.get(tileKey(tile))?.hashes.slice(0, tile.hashes.length) ?? [];
    if (!tileBytes(kept).equals(tileBytes(tile.hashes))) {
      findings.add(
        "tree_changed",
        `Tile ${tileKey(tile)} of the tree holds other hashes than its records lead to.`,
      );
    }
  }
}

/** An erasure can have come after the walk had fixed its end, and can still wait for its place. */
async function lookAhead(
  db: Kysely<Database>,
  workspaceId: string,
  end: number,
  check: RecordCheck,
): Promise<void> {
  const awaited = check.awaited;
  for (let at = 0; at < awaited.length; at += 500) {
    const rows = await db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("id", "in", awaited.slice(at, at + 500))
      .where((where) => where.or([where("seq", "is", null), where("seq", ">=", end)]))
      .execute();
    for (const row of rows) {
      if (row.seq === null) {
        check.checkWaitingErasure(row);
        continue;
      }
      const { placed } = await fetchStretch(db, workspaceId, row.seq, row.seq + 1);
      check.check(row, row.seq, placed[0]);
    }
  }
}

async function checkWaiting(db: Kysely<Database>, workspaceId: string, check: RecordCheck): Promise<number> {
  let count = 0;
  let last: LedgerRecordsTable | undefined;
  for (;;) {
    let select = db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", "is", null);
    if (last !== undefined) {
      const { ts, id } = last;
      select = select.where((where) =>
        where.or([where("ts", ">", ts), where.and([where("ts", "=", ts), where("id", ">", id)])]),
      );
    }
    const rows = await select.orderBy("ts").orderBy("id").limit(1_000).execute();
    for (const row of rows) check.checkWaiting(row);
    count += rows.length;
    last = rows.at(-1);
    if (last === undefined) return count;
  }
}

async function compareOutside(
  { store, workspaceId }: VerifyStoreOptions,
  outside: number,
  inside: number,
  findings: Findings,
): Promise<void> {
  if (outside >= inside) return;
  const { count } = await store.db
    .selectFrom("ledger_checkpoints")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .where("size", ">", outside)
    .where("size", "<=", inside)
    .executeTakeFirstOrThrow();
  const text = `The checkpoints outside the database end at ${outside}, ${count} behind those in it`;
  // A crash between the commit and the file leaves one. More are left only where another node wrote them.
  if (count > 1 && store.dialect === "sqlite")
    findings.add("outside_behind", `${text}: the file was cut or put back.`);
  else findings.notes.push(`${text}; the next batch brings them in step.`);
}

async function* upTo(
  checkpoints: AsyncIterable<Checkpoint | DamagedLine>,
  size: number,
): AsyncGenerator<Checkpoint | DamagedLine> {
  for await (const one of checkpoints) if ("damaged" in one || one.size <= size) yield one;
}
