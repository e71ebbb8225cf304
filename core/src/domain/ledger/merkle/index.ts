export { Edge } from "./edge.ts";
export { isConsistent, rootFromInclusion } from "./proof.ts";
export {
  consistencyPath,
  inclusionPath,
  type Tile,
  type TileRef,
  type TileSource,
  tileBytes,
  tileHashes,
  tileKey,
  tileWidth,
} from "./tiles.ts";
export { emptyRoot, fold, nodeHash } from "./tree.ts";
