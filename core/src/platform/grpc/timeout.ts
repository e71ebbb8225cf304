import { StoaError } from "#platform/errors";

const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };
// The longest that a timer runs; nobody waits for an answer that long.
const longest = 2 ** 31 - 1;

/** The milliseconds of a `grpc-timeout` header: at most eight digits and a unit. */
export function timeoutOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  const factor = units[unit];
  if (digits === undefined || factor === undefined) {
    const shown = JSON.stringify(String(header).slice(0, 40));
    throw new StoaError(
      "MALFORMED_MESSAGE",
      `The grpc-timeout ${shown} is not digits and one of H, M, S, m, u, n.`,
    );
  }
  return Math.min(Math.ceil(Number(digits) * factor), longest);
}
