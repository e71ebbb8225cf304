import { StoaError } from "#platform/errors";
import type { Headers } from "./bus.ts";

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
// Text, but for what would end the line, or the string in a C program.
const badValue = /[\r\n\0]/;
const maxHeaders = 64;

/** Names in lower case and trimmed values: what a header looks like after any transport. */
export function checkHeaders(headers: Readonly<Headers> | undefined): Headers {
  const clean: Headers = Object.create(null);
  if (headers === undefined) return clean;
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) {
    throw new StoaError(
      "INVALID_ARGUMENT",
      `A bus message has ${entries.length} headers; ${maxHeaders} are allowed.`,
    );
  }
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!headerName.test(lower) || typeof value !== "string" || badValue.test(value)) {
      throw new StoaError(
        "INVALID_ARGUMENT",
        `The bus header ${JSON.stringify(name.slice(0, 80))} is not allowed: a name is a token of up to 128 characters, a value is text without line breaks.`,
      );
    }
    clean[lower] = value.toWellFormed().trim();
  }
  return clean;
}

/** Bytes of a message as NATS counts them, so that a message fits everywhere or nowhere. */
export function sizeOf(data: Uint8Array, headers: Readonly<Headers>): number {
  let size = 0;
  for (const name in headers) size += name.length + Buffer.byteLength(headers[name] ?? "") + 4;
  return data.byteLength + (size === 0 ? 0 : size + 12);
}

export function checkSize(size: number, limit: number, subject: string): void {
  if (size <= limit) return;
  throw new StoaError(
    "TOO_LARGE",
    `A message of ${size} bytes on ${subject} is larger than the bus carries (${limit} bytes). Send a reference to the data instead, or raise max_payload of the NATS server.`,
    { details: { size, limit } },
  );
}

/** A copy nobody else holds. Buffer's own slice would share its memory, so it is not used. */
export function copyOf(data: Uint8Array): Uint8Array {
  if (!(data instanceof Uint8Array)) {
    throw new StoaError("INVALID_ARGUMENT", "The data of a bus message must be a Uint8Array.");
  }
  return new Uint8Array(data);
}
