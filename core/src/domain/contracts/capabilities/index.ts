export {
  agentIdPattern,
  type ParseCapabilitiesOptions,
  parseCapabilitiesConfig,
  readCapabilitiesConfig,
} from "./parse.ts";
export { parseTransport } from "./transports.ts";
export type {
  AgentCapability,
  CapabilitiesConfig,
  MemoryTransportConfig,
  NatsTransportConfig,
  TransportConfig,
} from "./types.ts";
export { compareVersions, isVersion } from "./version.ts";
