import { type ErrorCode, StoaError } from "#platform/errors";

/** What each code of the agent-to-agent contract is in our own catalogue. */
const codes = {
  EAGENTRPC_TIMEOUT: "DEADLINE_EXCEEDED",
  EAGENTRPC_ABANDONED: "CANCELLED",
  EAGENTRPC_BUSY: "RATE_LIMITED",
  EAGENTRPC_TOO_LARGE: "TOO_LARGE",
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

const codeOf: Partial<Record<ErrorCode, RpcCode>> = {
  DEADLINE_EXCEEDED: "EAGENTRPC_TIMEOUT",
  CANCELLED: "EAGENTRPC_ABANDONED",
  RATE_LIMITED: "EAGENTRPC_BUSY",
  TOO_LARGE: "EAGENTRPC_TOO_LARGE",
  SCHEMA_VIOLATION: "EAGENTRPC_SCHEMA_VIOLATION",
  UNAVAILABLE: "EAGENTRPC_NO_TRANSPORT",
};

/** The contract's code for any error, so that a caller always has one to switch on. */
export function rpcCodeOf(error: StoaError): string {
  const code = error.details.rpcCode;
  return typeof code === "string" ? code : (codeOf[error.code] ?? "EAGENTRPC_HANDLER_ERROR");
}
