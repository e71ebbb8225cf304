import { StoaError } from "#platform/errors";
import { consistencySteps, inclusionSteps, type ProofStep } from "./proof.ts";
import { fold, type NodeRef, subtreeRoot } from "./tree.ts";

/**
 * The tree's nodes are kept in tiles of 32 hashes. Tiles of level 0 hold leaves, a tile of level n the roots of 32
 * tiles of level n-1; what lies between is computed again. So a node costs one row and at most 15 hashes, a proof in
 * a ledger of a million four rows on its way up, and the sequencer writes one row for 32 records.
 */
export const tileHeight = 5;
export const tileWidth = 2 ** tileHeight;
const hashBytes = 32;

export interface TileRef {
  readonly level: number;
  readonly place: number;
}

export interface Tile extends TileRef {
  readonly hashes: readonly string[];
}

/** Finds tiles; those that do not exist are left out. */
export type TileSource = (refs: readonly TileRef[]) => Promise<Tile[]>;

export function tileBytes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.join(""), "hex");
}

export function tileHashes(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const hashes: string[] = [];
  for (let at = 0; at < text.length; at += hashBytes * 2) hashes.push(text.slice(at, at + hashBytes * 2));
  return hashes;
}

export async function inclusionPath(tiles: TileSource, index: number, size: number): Promise<string[]> {
  return evaluate(tiles, inclusionSteps(index, size));
}

export async function consistencyPath(tiles: TileSource, earlier: number, size: number): Promise<string[]> {
  return evaluate(tiles, consistencySteps(earlier, size));
}

/** All the tiles that the steps need are fetched at once. */
async function evaluate(source: TileSource, steps: readonly ProofStep[]): Promise<string[]> {
  const found = await fetchTiles(source, steps.flat().map(tileOf));
  return steps.map((nodes) => fold(nodes.map((node) => nodeIn(found, node))));
}

export async function fetchTiles(source: TileSource, refs: readonly TileRef[]): Promise<Map<string, Tile>> {
  const wanted = new Map(refs.map((ref) => [tileKey(ref), ref]));
  if (wanted.size === 0) return new Map();
  const tiles = await source([...wanted.values()]);
  return new Map(tiles.map((tile) => [tileKey(tile), tile]));
}

export function tileKey({ level, place }: TileRef): string {
  return `${level}/${place}`;
}

function tileOf({ level, index }: NodeRef): TileRef {
  return {
    level: Math.floor(level / tileHeight),
    place: Math.floor((index * 2 ** (level % tileHeight)) / tileWidth),
  };
}

function nodeIn(tiles: ReadonlyMap<string, Tile>, node: NodeRef): string {
  const width = 2 ** (node.level % tileHeight);
  const first = (node.index * width) % tileWidth;
  const ref = tileOf(node);
  const hashes = tiles.get(tileKey(ref))?.hashes.slice(first, first + width) ?? [];
  if (hashes.length < width) throw missingTile(ref);
  return subtreeRoot(hashes);
}

export function missingTile({ level, place }: TileRef): StoaError {
  return new StoaError(
    "LEDGER_BROKEN",
    `The ledger's tree lacks hashes in tile ${level}/${place}. Run \`stoa audit verify\` to see what else is missing.`,
    { details: { level, place } },
  );
}
