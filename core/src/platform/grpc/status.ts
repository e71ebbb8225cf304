import type { OutgoingHttpHeaders } from "node:http2";
import { type Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { catalogue, type ErrorCode, type GrpcStatusName, StoaError } from "#platform/errors";

export const codeTrailer = "stoa-error-code";
export const detailsTrailer = "stoa-error-details-bin";
export const requestIdHeader = "x-request-id";

// Common clients refuse trailers beyond 8 KiB, so message and details together stay below it when encoded.
const maxMessageLength = 3072;
const maxDetailsLength = 3072;

export const okTrailers: OutgoingHttpHeaders = { "grpc-status": "0" };

/** The one place where an error becomes a gRPC status. */
export function toTrailers(error: StoaError, requestId: string): OutgoingHttpHeaders {
  const details = encodeDetails(error.details);
  return {
    "grpc-status": String(status[error.entry.grpc]),
    "grpc-message": encodeURI(wireText(error.message)),
    [codeTrailer]: error.code,
    [requestIdHeader]: requestId,
    ...(details && { [detailsTrailer]: details.toString("base64") }),
  };
}

/** The one place where a status that a server sent becomes an error. */
export function fromStatus(received: StatusObject, method: string): StoaError {
  const grpcStatus = statusName(received.code);
  const sent = received.metadata.get(codeTrailer)[0];
  // A peer may say more exactly what its status means; it may not say something else.
  const code =
    typeof sent === "string" && isCode(sent) && catalogue[sent].grpc === grpcStatus
      ? sent
      : meaning(grpcStatus, received.details);
  const text = wireText(received.details) || `${method} failed with ${grpcStatus}.`;
  return new StoaError(code, text, { details: { ...decodeDetails(received.metadata), grpcStatus, method } });
}

const meanings: Record<GrpcStatusName, ErrorCode> = {
  CANCELLED: "CANCELLED",
  UNKNOWN: "PEER_FAILED",
  INVALID_ARGUMENT: "INVALID_ARGUMENT",
  DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
  NOT_FOUND: "NOT_FOUND",
  ALREADY_EXISTS: "ALREADY_EXISTS",
  PERMISSION_DENIED: "PERMISSION_DENIED",
  RESOURCE_EXHAUSTED: "RATE_LIMITED",
  FAILED_PRECONDITION: "FAILED_PRECONDITION",
  ABORTED: "STORE_CONFLICT",
  OUT_OF_RANGE: "INVALID_ARGUMENT",
  UNIMPLEMENTED: "UNKNOWN_METHOD",
  INTERNAL: "PEER_FAILED",
  UNAVAILABLE: "UNAVAILABLE",
  DATA_LOSS: "PEER_FAILED",
  UNAUTHENTICATED: "UNAUTHENTICATED",
};

function meaning(name: GrpcStatusName, details: string): ErrorCode {
  // grpc-js has one status for "too much" of either kind; only its text tells them apart.
  if (name === "RESOURCE_EXHAUSTED" && /larger than/.test(details)) return "TOO_LARGE";
  return meanings[name];
}

function statusName(code: number): GrpcStatusName {
  const name = status[code];
  return name !== undefined && Object.hasOwn(meanings, name) ? (name as GrpcStatusName) : "UNKNOWN";
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(catalogue, text);
}

/** Text that may stand in a trailer: short enough, and without half a surrogate pair, on which encodeURI throws. */
export function wireText(text: string): string {
  let safe = text.slice(0, maxMessageLength).toWellFormed();
  while (encodeURI(safe).length > maxMessageLength) safe = safe.slice(0, safe.length * 0.75).toWellFormed();
  return safe;
}

function encodeDetails(details: Readonly<Record<string, unknown>>): Buffer | undefined {
  if (Object.keys(details).length === 0) return undefined;
  try {
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
    const bytes = Buffer.from(JSON.stringify(details, plain));
    return bytes.length > maxDetailsLength ? undefined : bytes;
  } catch {
    // Not JSON: the caller gets the status without them.
    return undefined;
  }
}

function decodeDetails(metadata: Metadata): Record<string, unknown> {
  const bytes = metadata.get(detailsTrailer)[0];
  if (!Buffer.isBuffer(bytes) || bytes.length > maxDetailsLength) return {};
  try {
    const details: unknown = JSON.parse(bytes.toString());
    return typeof details === "object" && details !== null && !Array.isArray(details) ? { ...details } : {};
  } catch {
    return {};
  }
}
