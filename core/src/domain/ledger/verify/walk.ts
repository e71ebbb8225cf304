import type { LedgerRecordsTable } from "#platform/store";
import type { Edge, Tile } from "../merkle/index.ts";
import type { CheckpointLine } from "./checkpoint-line.ts";
import type { RecordCheck } from "./record-check.ts";
import type { Findings } from "./report.ts";

/** Consecutive places of the chain: what was put there, and the records that are there now. */
export interface Stretch {
  readonly from: number;
  /** For each place the leaf that was put there, where that is known. */
  readonly placed: readonly (string | undefined)[];
  /** In the order of their places, all of them within the stretch. */
  readonly rows: readonly LedgerRecordsTable[];
}

export interface Walk {
  readonly edge: Edge;
  readonly records: RecordCheck;
  readonly lines: readonly CheckpointLine[];
  readonly findings: Findings;
  /** Looks at the tiles that the walk has filled so far. */
  readonly checkTiles?: (tiles: readonly Tile[]) => Promise<void>;
  /** Told how many places have been walked, now and then. */
  readonly onProgress?: (places: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Walks the chain once, from left to right, with everything that has something to say about it: the records, the
 * leaves that were placed, and the signed checkpoints. Memory does not grow with the chain.
 */
export async function walk(stretches: AsyncIterable<Stretch>, walk: Walk): Promise<void> {
  const { edge, records, lines, findings } = walk;
  for (const line of lines) if (line.due === edge.size) await line.hold(edge.root);
  for await (const { from, placed, rows } of stretches) {
    walk.signal?.throwIfAborted();
    const tiles: Tile[] = [];
    let next = 0;
    let holed = false;
    for (let at = 0; at < placed.length; at++) {
      const seq = from + at;
      const row = rows[next];
      let leaf = placed[at];
      if (row?.seq === seq) {
        next++;
        const own = records.check(row, seq, leaf);
        if (leaf === undefined && walk.checkTiles && !holed) {
          holed = true;
          findings.add("tree_changed", `The tree has no leaf for the record at ${seq}.`, { seq });
        }
        leaf ??= own;
      } else {
        findings.add("record_missing", `The record at ${seq} is missing.`, { seq });
      }
      // Without a leaf the tree cannot be followed any further, and later roots cannot be judged.
      if (leaf === undefined) return;
      edge.append(leaf, tiles);
      for (const line of lines) if (line.due === edge.size) await line.hold(edge.root);
    }
    await walk.checkTiles?.(tiles);
    walk.onProgress?.(edge.size);
  }
}
