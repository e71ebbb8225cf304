import {
  fetchTiles,
  missingTile,
  type Tile,
  type TileRef,
  type TileSource,
  tileHeight,
  tileKey,
  tileWidth,
} from "./tiles.ts";
import { floorLog2, fold, nodeHash, subtreeRoot } from "./tree.ts";

/**
 * The right edge of a tree: its largest complete subtrees, and its last, unfinished tile on each level. That is all
 * that is needed to grow the tree and to know its root, whatever its size.
 */
export class Edge {
  #size: number;
  /** The roots of the largest complete subtrees, left to right: one for each bit of the size. */
  readonly #peaks: string[];
  /** By level, the hashes of the tile that is not full yet. */
  readonly #open: string[][];

  private constructor(size: number, peaks: readonly string[], open: readonly (readonly string[])[]) {
    this.#size = size;
    this.#peaks = [...peaks];
    this.#open = open.map((hashes) => [...hashes]);
  }

  static empty(): Edge {
    return new Edge(0, [], []);
  }

  /** The edge that the tree had when it had `size` leaves. */
  static async load(source: TileSource, size: number): Promise<Edge> {
    const refs: (TileRef & { count: number })[] = [];
    for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / tileWidth)) {
      refs.push({ level, place: Math.floor(count / tileWidth), count: count % tileWidth });
    }
    const tiles = await fetchTiles(
      source,
      refs.filter((ref) => ref.count > 0),
    );
    const open = refs.map((ref) => {
      const hashes = tiles.get(tileKey(ref))?.hashes.slice(0, ref.count) ?? [];
      if (hashes.length < ref.count) throw missingTile(ref);
      return hashes;
    });
    return new Edge(size, open.toReversed().flatMap(peaksOf), open);
  }

  /** Out of its peaks alone: it can grow and has a root, but has no tiles to store. */
  static fromPeaks(size: number, peaks: readonly string[]): Edge {
    return new Edge(size, peaks, []);
  }

  get size(): number {
    return this.#size;
  }

  get root(): string {
    return fold(this.#peaks);
  }

  get peaks(): readonly string[] {
    return this.#peaks;
  }

  clone(): Edge {
    return new Edge(this.#size, this.#peaks, this.#open);
  }

  /** Adds a leaf, and hands over the tiles that it filled. */
  append(leaf: string, filled: Tile[]): void {
    let rest = this.#size++;
    let hash = leaf;
    for (let level = 0; ; level++) {
      if (level % tileHeight === 0) this.#put(level / tileHeight, hash, filled);
      // Two complete subtrees of the same size become one, as a carry runs through a sum.
      if (rest % 2 === 0) break;
      hash = nodeHash(this.#peaks.pop() ?? "", hash);
      rest = Math.floor(rest / 2);
    }
    this.#peaks.push(hash);
  }

  /** The unfinished tiles, as they are now. */
  openTiles(): Tile[] {
    return this.#open.flatMap((hashes, level) =>
      hashes.length === 0 ? [] : [{ level, place: this.#place(level), hashes: [...hashes] }],
    );
  }

  #put(level: number, hash: string, filled: Tile[]): void {
    const hashes = this.#open[level];
    if (hashes === undefined) {
      this.#open[level] = [hash];
      return;
    }
    hashes.push(hash);
    if (hashes.length < tileWidth) return;
    filled.push({ level, place: this.#place(level) - 1, hashes });
    this.#open[level] = [];
  }

  #place(level: number): number {
    return Math.floor(this.#size / tileWidth ** (level + 1));
  }
}

/** The complete subtrees within one unfinished tile. */
function peaksOf(hashes: readonly string[]): string[] {
  const peaks: string[] = [];
  for (let at = 0; at < hashes.length; ) {
    const width = 2 ** floorLog2(hashes.length - at);
    peaks.push(subtreeRoot(hashes.slice(at, at + width)));
    at += width;
  }
  return peaks;
}
