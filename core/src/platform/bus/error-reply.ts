import { catalogue, type ErrorCode, StoaError } from "#platform/errors";
import type { BusMessage, Headers } from "./bus.ts";

/** The header that makes an answer a failure; the data then says more, as JSON. */
const header = "stoa-error";
const maxText = 4_096;

export function encodeError(thrown: unknown): { data: Uint8Array; headers: Headers } {
  const error = StoaError.from(thrown);
  const message = error.message.slice(0, maxText);
  const details = JSON.stringify({ message, details: error.details });
  const body = details.length <= maxText * 4 ? details : JSON.stringify({ message });
  return { data: new TextEncoder().encode(body), headers: { [header]: error.code } };
}

/** The error an answer carries, or undefined for one that is an answer. */
export function decodeError(message: BusMessage): StoaError | undefined {
  const code = message.headers[header];
  if (code === undefined) return undefined;
  const known: ErrorCode = Object.hasOwn(catalogue, code) ? (code as ErrorCode) : "INTERNAL";
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(message.data));
    const { message: text, details } = (body ?? {}) as { message?: unknown; details?: unknown };
    const isDetails = typeof details === "object" && details !== null && !Array.isArray(details);
    return new StoaError(known, typeof text === "string" ? text : catalogue[known].title, {
      details: isDetails ? (details as Record<string, unknown>) : {},
    });
  } catch {
    return new StoaError(known, catalogue[known].title);
  }
}
