import type { Progress } from "#domain/ledger";
import type { Io } from "../io.ts";

const width = 24;
const betweenMs = 100;

/** A bar on the terminal while something long goes on; nothing where nobody looks. */
export class ProgressBar {
  readonly #stream: NodeJS.WritableStream;
  readonly #shown: boolean;
  readonly #label: string;
  #drawn = Number.NEGATIVE_INFINITY;

  constructor({ stderr, env }: Io, label: string, isJson: boolean) {
    this.#stream = stderr;
    this.#label = label;
    this.#shown = !isJson && (stderr as Partial<NodeJS.WriteStream>).isTTY === true && env.TERM !== "dumb";
  }

  show({ unit, checked, total }: Progress): void {
    const now = performance.now();
    if (!this.#shown || now - this.#drawn < betweenMs) return;
    this.#drawn = now;
    const part = total === 0 ? 1 : Math.min(1, checked / total);
    const full = Math.round(part * width);
    const bar = "█".repeat(full) + "░".repeat(width - full);
    const count =
      unit === "bytes"
        ? `${megabytes(checked)} of ${megabytes(total)} MB`
        : `${figure(checked)} of ${figure(total)}`;
    this.#stream.write(`\r\u001b[K${this.#label} ${bar} ${Math.floor(part * 100)} %  ${count}`);
  }

  /** Leaves the terminal as if it had not been there. */
  clear(): void {
    if (this.#shown) this.#stream.write("\r\u001b[K");
  }
}

export function figure(value: number): string {
  return value.toLocaleString("en");
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
