export {
  AgentCapabilities,
  type DeclaredCapability,
  isAgentTarget,
  targetName,
} from "./agent-capabilities.ts";
export { decodeEnvelope, type Envelope, encodeEnvelope } from "./envelope.ts";
export { rpcCodeOf, rpcError } from "./rpc-error.ts";
export { sendRequest } from "./send.ts";
export { type Served, serveRequests } from "./serve.ts";
