import { hash } from "node:crypto";

/**
 * RFC 6962's Merkle tree. A hash is 64 hex digits. Sizes and indexes are plain numbers, exact to 2^53, so nothing
 * here may use the 32-bit operators.
 */

/** A complete subtree: the 2^level leaves from index·2^level on. */
export interface NodeRef {
  readonly level: number;
  readonly index: number;
}

export const emptyRoot = hash("sha256", "", "hex");

const preimage = Buffer.alloc(65);
preimage[0] = 1;

/** 0x01 before the children, 0x00 before a leaf: an inner node can never pass for a leaf. */
export function nodeHash(left: string, right: string): string {
  preimage.write(left, 1, 32, "hex");
  preimage.write(right, 33, 32, "hex");
  return hash("sha256", preimage, "hex");
}

/**
 * The complete subtrees that make up the leaves from `start` to before `end`, left to right. `start` is where a
 * subtree of the RFC's recursion can begin, so the largest subtree always comes first.
 */
export function cover(start: number, end: number): NodeRef[] {
  const nodes: NodeRef[] = [];
  let at = start;
  while (at < end) {
    const level = floorLog2(end - at);
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The root over a cover's hashes: each subtree joins what stands to its right. */
export function fold(hashes: readonly string[]): string {
  let root = hashes.at(-1) ?? emptyRoot;
  for (let i = hashes.length - 2; i >= 0; i--) root = nodeHash(hashes[i] ?? emptyRoot, root);
  return root;
}

/** The root of a complete subtree out of its 2^n hashes at a lower level. */
export function subtreeRoot(hashes: readonly string[]): string {
  let row = hashes;
  while (row.length > 1) {
    const above: string[] = [];
    for (let i = 0; i + 1 < row.length; i += 2) above.push(nodeHash(row[i] ?? "", row[i + 1] ?? ""));
    row = above;
  }
  return row[0] ?? emptyRoot;
}

/** The largest power of two smaller than `size`. */
export function split(size: number): number {
  const power = 2 ** floorLog2(size);
  return power === size ? power / 2 : power;
}

/** Math.log2 rounds up just below large powers of two. */
export function floorLog2(value: number): number {
  const log = Math.floor(Math.log2(value));
  return 2 ** log > value ? log - 1 : log;
}
