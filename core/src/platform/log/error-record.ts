import { isStoaError } from "#platform/errors";

const maxCauses = 6;
const maxAggregated = 5;
const maxStack = 8_000;
const maxMessage = 4_000;

/** An error as a log shows it: what it is, where it came from, and what lies beneath it, with an end. */
export function errorRecord(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const record: Record<string, unknown> = { type: thrown.name, message: cut(thrown.message, maxMessage) };
  const code = (thrown as { code?: unknown }).code;
  if (typeof code === "string" || typeof code === "number") record.code = code;
  if (isStoaError(thrown) && Object.keys(thrown.details).length > 0) record.details = thrown.details;
  if (typeof thrown.stack === "string") record.stack = cut(thrown.stack, maxStack);
  const below = depth + 1;
  if (thrown.cause !== undefined && thrown.cause !== null) {
    record.cause = below < maxCauses ? errorRecord(thrown.cause, below) : "[more causes]";
  }
  if (thrown instanceof AggregateError && below < maxCauses) {
    record.errors = thrown.errors.slice(0, maxAggregated).map((error) => errorRecord(error, below));
  }
  return record;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}
