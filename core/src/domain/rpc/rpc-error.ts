import { type ErrorCode, StoaError } from "#platform/errors";

/** What each code of the agent-to-agent contract is in our own catalogue. */
const codes = {
  EAGENTRPC_TIMEOUT: "DEADLINE_EXCEEDED",
  EAGENTRPC_NO_PEER: "NOT_FOUND",
  EAGENTRPC_NO_CAPABILITY: "NOT_FOUND",
  EAGENTRPC_NO_TRANSPORT: "UNAVAILABLE",
  EAGENTRPC_INVALID_ENVELOPE: "MALFORMED_MESSAGE",
  EAGENTRPC_DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
  EAGENTRPC_TENANT_MISMATCH: "PERMISSION_DENIED",
  EAGENTRPC_SCHEMA_VIOLATION: "SCHEMA_VIOLATION",
  EAGENTRPC_PUBLISH_FAILED: "UNAVAILABLE",
  EAGENTRPC_HOP_LIMIT: "FAILED_PRECONDITION",
  EAGENTRPC_HANDLER_ERROR: "AGENT_FAILED",
} as const satisfies Record<string, ErrorCode>;

export type RpcCode = keyof typeof codes;

export function rpcError(code: RpcCode, message: string, details: Record<string, unknown> = {}): StoaError {
  return new StoaError(codes[code], message, { details: { ...details, rpcCode: code } });
}

/** The contract's code for any error, so that a caller always has one to switch on. */
export function rpcCodeOf(error: StoaError): string {
  const code = error.details.rpcCode;
  if (typeof code === "string") return code;
  if (error.code === "DEADLINE_EXCEEDED") return "EAGENTRPC_TIMEOUT";
  if (error.code === "SCHEMA_VIOLATION") return "EAGENTRPC_SCHEMA_VIOLATION";
  return "EAGENTRPC_HANDLER_ERROR";
}
