export { AgentCapabilities, type DeclaredCapability, isAgentTarget } from "./agent-capabilities.ts";
export { decodeEnvelope, type Envelope, encodeEnvelope } from "./envelope.ts";
export { rpcCodeOf, rpcError } from "./rpc-error.ts";
export { requestSubject, type Served, sendRequest, serveRequests } from "./transport.ts";
