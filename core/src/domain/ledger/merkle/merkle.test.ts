import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consistencyPath,
  Edge,
  emptyRoot,
  inclusionPath,
  isConsistent,
  rootFromInclusion,
  type Tile,
  type TileSource,
  tileBytes,
  tileHashes,
  tileKey,
} from "./index.ts";

/** RFC 6962's own words, as slow as they are plain: what the tiles and edges are measured against. */
function treeHash(leaves: readonly string[]): string {
  if (leaves.length === 0) return createHash("sha256").digest("hex");
  if (leaves.length === 1) return leaves[0] ?? "";
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const bytes = [
    Buffer.of(1),
    Buffer.from(treeHash(leaves.slice(0, k)), "hex"),
    Buffer.from(treeHash(leaves.slice(k)), "hex"),
  ];
  return createHash("sha256").update(Buffer.concat(bytes)).digest("hex");
}

function leafOf(content: string | Buffer): string {
  return createHash("sha256").update(Buffer.of(0)).update(content).digest("hex");
}

const leaves = Array.from({ length: 1100 }, (_, i) => leafOf(`leaf ${i}`));

function grow(size: number): { edge: Edge; tiles: TileSource; stored: Map<string, Tile> } {
  const edge = Edge.empty();
  const stored = new Map<string, Tile>();
  const filled: Tile[] = [];
  for (const leaf of leaves.slice(0, size)) edge.append(leaf, filled);
  for (const tile of filled) stored.set(tileKey(tile), tile);
  for (const tile of edge.openTiles()) stored.set(tileKey(tile), tile);
  const tiles: TileSource = async (refs) => refs.flatMap((ref) => stored.get(tileKey(ref)) ?? []);
  return { edge, tiles, stored };
}

// The tree of Certificate Transparency's reference tests.
const known = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((hex) => leafOf(Buffer.from(hex, "hex")));

describe("the tree", () => {
  test("has the published roots", () => {
    const edge = Edge.empty();
    expect(edge.root).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    edge.append(known[0] ?? "", []);
    expect(edge.root).toBe("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    for (const leaf of known.slice(1)) edge.append(leaf, []);
    expect(edge.root).toBe("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
  });

  test("has RFC 6962's root at every size", () => {
    const edge = Edge.empty();
    expect(edge.root).toBe(emptyRoot);
    for (let size = 1; size <= 300; size++) {
      edge.append(leaves[size - 1] ?? "", []);
      expect(edge.root).toBe(treeHash(leaves.slice(0, size)));
    }
  });

  test("can be taken up again at any size it ever had", async () => {
    const { tiles } = grow(1100);
    for (let size = 0; size <= 1100; size += size < 140 ? 1 : 37) {
      const edge = await Edge.load(tiles, size);
      expect(edge.root).toBe(treeHash(leaves.slice(0, size)));
      if (size < 1100) {
        edge.append(leaves[size] ?? "", []);
        expect(edge.root).toBe(treeHash(leaves.slice(0, size + 1)));
      }
    }
  });

  test("says which tile is gone", async () => {
    const { tiles } = grow(100);
    const holed: TileSource = async (refs) => (await tiles(refs)).filter((tile) => tileKey(tile) !== "0/3");
    await expect(Edge.load(holed, 100)).rejects.toMatchObject({
      code: "LEDGER_BROKEN",
      details: { level: 0, place: 3 },
    });
    await expect(inclusionPath(holed, 97, 100)).rejects.toMatchObject({ code: "LEDGER_BROKEN" });
  });

  test("tiles survive their way through bytes", () => {
    const hashes = leaves.slice(0, 32);
    expect(tileHashes(tileBytes(hashes))).toEqual(hashes);
    expect(tileHashes(new Uint8Array(0))).toEqual([]);
  });
});

describe("inclusion", () => {
  test("is proven for every leaf of every tree of 1 to 130, and refused for every other place", async () => {
    for (let size = 1; size <= 130; size++) {
      const { tiles, edge } = grow(size);
      for (let index = 0; index < size; index++) {
        const path = await inclusionPath(tiles, index, size);
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        expect(rootFromInclusion(leaves[index] ?? "", index, size, path)).toBe(edge.root);
        const elsewhere = (index + 1) % size;
        if (elsewhere !== index) {
          expect(rootFromInclusion(leaves[index] ?? "", elsewhere, size, path)).not.toBe(edge.root);
          expect(rootFromInclusion(leaves[elsewhere] ?? "", index, size, path)).not.toBe(edge.root);
        }
      }
    }
  });

  test("fails with any bit of the path changed, a step more or a step less", async () => {
    const { tiles, edge } = grow(1000);
    await fc.assert(
      fc.asyncProperty(fc.nat(999), fc.nat(255), fc.nat(), async (index, bit, at) => {
        const path = await inclusionPath(tiles, index, 1000);
        const step = at % path.length;
        const bytes = Buffer.from(path[step] ?? "", "hex");
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const leaf = leaves[index] ?? "";
        expect(rootFromInclusion(leaf, index, 1000, path)).toBe(edge.root);
        expect(rootFromInclusion(leaf, index, 1000, path.with(step, bytes.toString("hex")))).not.toBe(
          edge.root,
        );
        expect(rootFromInclusion(leaf, index, 1000, path.toSpliced(step, 1))).not.toBe(edge.root);
        expect(rootFromInclusion(leaf, index, 1000, [...path, leaf])).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test("of nonsense is nothing", () => {
    expect(rootFromInclusion("", 0, 0, [])).toBeUndefined();
    expect(rootFromInclusion("", -1, 5, [])).toBeUndefined();
    expect(rootFromInclusion("", 0.5, 5, [])).toBeUndefined();
    expect(rootFromInclusion("", Number.NaN, 5, [])).toBeUndefined();
    expect(rootFromInclusion("", 5, 2 ** 60, [])).toBeUndefined();
  });

  test("of a far larger ledger needs only the logarithm", async () => {
    const size = 2 ** 40 + 12_345;
    const asked: string[] = [];
    const anything: TileSource = async (refs) => {
      asked.push(...refs.map(tileKey));
      return refs.map((ref) => ({ ...ref, hashes: leaves.slice(0, 32) }));
    };
    const path = await inclusionPath(anything, 2 ** 39, size);
    expect(path.length).toBe(41);
    expect(asked.length).toBeLessThanOrEqual(20);
  });
});

describe("consistency", () => {
  test("is proven between all sizes up to 130, and between no others", async () => {
    const roots = Array.from({ length: 131 }, (_, size) => treeHash(leaves.slice(0, size)));
    const { tiles } = grow(130);
    for (let size = 1; size <= 130; size++) {
      const later = { size, root: roots[size] ?? "" };
      for (let earlier = 0; earlier <= size; earlier++) {
        const path = await consistencyPath(tiles, earlier, size);
        expect(isConsistent({ size: earlier, root: roots[earlier] ?? "" }, later, path)).toBe(true);
        if (earlier === 0) continue;
        const forged = leaves[earlier] ?? "";
        expect(isConsistent({ size: earlier, root: forged }, later, path)).toBe(false);
        expect(
          isConsistent({ size: earlier, root: roots[earlier] ?? "" }, { size, root: forged }, path),
        ).toBe(false);
        expect(isConsistent({ size: earlier, root: roots[earlier] ?? "" }, later, [...path, forged])).toBe(
          false,
        );
        if (path.length > 0) {
          expect(isConsistent({ size: earlier, root: roots[earlier] ?? "" }, later, path.slice(1))).toBe(
            false,
          );
        }
      }
    }
  });

  test("never from the larger to the smaller", () => {
    expect(isConsistent({ size: 3, root: "" }, { size: 2, root: "" }, [])).toBe(false);
  });
});

test("a tree grows from its peaks alone", () => {
  const { edge } = grow(77);
  const again = Edge.fromPeaks(77, edge.peaks);
  for (const leaf of leaves.slice(77, 300)) again.append(leaf, []);
  expect(again.root).toBe(treeHash(leaves.slice(0, 300)));
});
