import { StoaError } from "#platform/errors";

/**
 * What a statement may carry, the same on both databases: text, numbers, bytes and null. PostgreSQL cannot keep
 * U+0000 in text, so neither database takes it. Booleans are kept as 0 and 1; only Kysely's own
 * questions about a PostgreSQL schema hold real ones.
 */
export function checkParameters(parameters: readonly unknown[], booleans = false): readonly unknown[] {
  let checked: unknown[] | undefined;
  for (let i = 0; i < parameters.length; i++) {
    const value = parameters[i];
    if (booleans && typeof value === "boolean") continue;
    const tidy = checkParameter(value, i);
    if (tidy === value) continue;
    checked ??= parameters.slice();
    checked[i] = tidy;
  }
  return checked ?? parameters;
}

function checkParameter(value: unknown, index: number): unknown {
  switch (typeof value) {
    case "string":
      if (value.includes("\0")) {
        throw new StoaError(
          "INVALID_ARGUMENT",
          "Text with the character U+0000 cannot be stored: remove it.",
        );
      }
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      break;
    case "bigint":
      if (BigInt.asIntN(64, value) === value) return value;
      break;
    case "undefined":
      return null;
    case "object":
      if (value === null) return null;
      if (value instanceof Uint8Array) return own(value);
      break;
  }
  throw new StoaError(
    "INVALID_ARGUMENT",
    `Parameter ${index + 1} of a statement is ${describe(value)}: only text, finite numbers, 64-bit integers, ` +
      "bytes and null can be stored.",
  );
}

/** A view into a larger buffer becomes a copy: handed to a thread, the whole buffer would travel with it. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes);
}

function describe(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "bigint") return "an integer of more than 64 bits";
  if (typeof value === "object") return `a ${value?.constructor?.name ?? "value of no class"}`;
  return `a ${typeof value}`;
}
