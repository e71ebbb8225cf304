import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { envelope } from "./envelope.ts";

// Not from node:http: importing its values loads all of it, its fetch client included, at every start.
const reasons = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
} as const;
type Status = keyof typeof reasons;

interface ConnectionError extends Error {
  readonly code?: string;
}

/** Answers what never became a request: bytes that are no HTTP, headers too long, a sender too slow. */
export function onClientError(error: ConnectionError, socket: Socket, log: Logger): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, answer] = explain(error);
  log.debug({ err: error, status }, "connection refused");
  const body = JSON.stringify(envelope(answer, randomUUID()));
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "x-content-type-options: nosniff",
    "cache-control: no-store",
    "connection: close",
  ];
  // Destroyed once sent: a sender that goes on sending would hold the socket half open.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function explain(error: ConnectionError): readonly [status: Status, answer: StoaError] {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return [431, new StoaError("TOO_LARGE", "The request's headers are larger than 16 KiB.")];
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return [413, new StoaError("TOO_LARGE", "The request's chunk extensions are too large.")];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [408, new StoaError("DEADLINE_EXCEEDED", "The request did not arrive in time.")];
    default:
      return [400, new StoaError("MALFORMED_MESSAGE", "The bytes received are not an HTTP request.")];
  }
}
