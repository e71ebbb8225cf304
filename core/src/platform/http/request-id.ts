import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

// Long enough for a UUID or a trace id, and nothing that could break a log line or a header.
const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The id a caller gave its request, so that its log and ours can be laid side by side; else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && sane.test(given) ? given : randomUUID();
}
