import { StoaError } from "#platform/errors";

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2h` ago, a date, or a date and time; as epoch milliseconds. */
export function parseTime(flag: string, text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined)
    return Math.max(0, now - Number(amount) * (units[unit] ?? 0));
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time) && time >= 0) return time;
  throw new StoaError(
    "USAGE",
    `${flag}: expected a time like 90s, 15m, 2h, 7d, 2027-01-31 or 2027-01-31T12:00:00Z.`,
  );
}

export function parseCount(flag: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new StoaError("USAGE", `${flag}: expected a whole number from ${min} to ${max}.`);
}

export function stamp(time: number): string {
  return new Date(time).toISOString().replace("T", " ").replace("Z", "");
}
