import { cover, floorLog2, type NodeRef, nodeHash, split } from "./tree.ts";

/** A step of a proof: the root over these complete subtrees. */
export type ProofStep = readonly NodeRef[];

/** What an inclusion proof consists of, from the leaf upwards (RFC 6962, 2.1.1). */
export function inclusionSteps(index: number, size: number): ProofStep[] {
  const steps: ProofStep[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + split(end - start);
    if (index < middle) {
      steps.push(cover(middle, end));
      end = middle;
    } else {
      steps.push(cover(start, middle));
      start = middle;
    }
  }
  return steps.reverse();
}

/** What proves that the tree of `size` begins with the tree of `earlier` (RFC 6962, 2.1.2). */
export function consistencySteps(earlier: number, size: number): ProofStep[] {
  if (earlier === 0 || earlier === size) return [];
  const steps: ProofStep[] = [];
  let start = 0;
  let end = size;
  while (earlier !== end) {
    const middle = start + split(end - start);
    if (earlier <= middle) {
      steps.push(cover(middle, end));
      end = middle;
    } else {
      steps.push(cover(start, middle));
      start = middle;
    }
  }
  // The earlier root itself is known to whoever checks, unless it is only a part of it that is left over.
  if (start > 0) steps.push(cover(start, end));
  return steps.reverse();
}

/** The root that this leaf and path lead to; undefined where the path cannot belong to that place and size. */
export function rootFromInclusion(
  leaf: string,
  index: number,
  size: number,
  path: readonly string[],
): string | undefined {
  if (!isCount(index) || !isCount(size) || index >= size) return undefined;
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root);
      // The last node of an odd row has no sibling there: it moves up until it has one.
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      root = nodeHash(root, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? root : undefined;
}

/** Whether the path proves that the tree with `root` begins with the tree with `earlierRoot` (RFC 9162, 2.1.4.2). */
export function isConsistent(
  earlier: { readonly size: number; readonly root: string },
  later: { readonly size: number; readonly root: string },
  path: readonly string[],
): boolean {
  if (!isCount(earlier.size) || !isCount(later.size) || earlier.size > later.size) return false;
  if (earlier.size === later.size) return path.length === 0 && earlier.root === later.root;
  if (earlier.size === 0) return path.length === 0;
  const isPower = 2 ** floorLog2(earlier.size) === earlier.size;
  const [first, ...rest] = isPower ? [earlier.root, ...path] : path;
  if (first === undefined) return false;
  let node = earlier.size - 1;
  let last = later.size - 1;
  while (node % 2 === 1) {
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  let old = first;
  let now = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old);
      now = nodeHash(sibling, now);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      now = nodeHash(now, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && old === earlier.root && now === later.root;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
