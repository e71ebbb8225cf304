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
