import type { Row } from "./harness.ts";

/** The rows of a bench as a table for people. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${figure(row.ours)} ${row.unit}`,
    row.peer === null ? "" : `${figure(row.peer)} ${row.unit}`,
    row.ratio === null ? "" : `${row.ratio.toFixed(2)}×`,
    row.bar === null ? "" : figure(row.bar),
    row.bar === null ? "" : row.ok ? "✓" : "✗ missed",
  ]);
  const lines = [["", "ours", "peer", "ratio", "bar", ""], ...cells];
  const widths = lines.reduce<number[]>(
    (widest, line) => line.map((cell, i) => Math.max(widest[i] ?? 0, cell.length)),
    [],
  );
  return lines
    .map((line) => `  ${line.map((cell, i) => pad(cell, widths[i] ?? 0, i)).join("  ")}`.trimEnd())
    .join("\n");
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 || column === 5 ? cell.padEnd(width) : cell.padStart(width);
}

function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value.toLocaleString("en", { maximumSignificantDigits: value >= 1000 ? 5 : 3 });
}

/** The one line that programs read. */
export function line(bench: string, rows: readonly Row[]): string {
  return JSON.stringify({ bench, rows });
}
