import { StoaError } from "#platform/errors";

const units: Readonly<Record<string, number | undefined>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
// The longest that a timer runs; nobody waits for an answer that long.
const longest = 2 ** 31 - 1;

/** The milliseconds of a `grpc-timeout` header: at most eight digits and a unit. */
export function timeoutOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  const factor = units[text.at(-1) ?? ""];
  const digits = text.length - 1;
  if (factor === undefined || digits < 1 || digits > 8 || !isDigits(text, digits)) {
    const shown = JSON.stringify(text.slice(0, 40));
    throw new StoaError(
      "MALFORMED_MESSAGE",
      `The grpc-timeout ${shown} is not one to eight digits and one of H, M, S, m, u, n.`,
    );
  }
  return Math.min(Math.ceil(Number(text.slice(0, -1)) * factor), longest);
}

function isDigits(text: string, end: number): boolean {
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
