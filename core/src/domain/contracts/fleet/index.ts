export {
  type FleetEdge,
  type FleetGraph,
  type FleetNode,
  fleetGraph,
  graphToDot,
  graphToSvg,
  graphToText,
} from "./graph/index.ts";
export { checkFleet, type FleetCheck, loadFleet } from "./load.ts";
export { FLEET_FILE, findFleetRoot } from "./root.ts";
export type {
  Fleet,
  FleetAgent,
  FleetSkill,
  FleetToolCapability,
  RpcPeer,
  RpcPeerAuth,
} from "./types.ts";
