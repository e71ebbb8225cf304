import { stripVTControlCharacters, styleText } from "node:util";
import { messageOf, type StoaError } from "#platform/errors";
import type { Io } from "./io.ts";

type Style = Parameters<typeof styleText>[0];

/** What a command prints: answers on stdout, everything else on stderr, each for people or for programs. */
export class Output {
  readonly #io: Io;
  readonly #isJson: () => boolean;

  constructor(io: Io, isJson: () => boolean) {
    this.#io = io;
    this.#isJson = isJson;
  }

  get isJson(): boolean {
    return this.#isJson();
  }

  /** The answer of a command: one JSON document on one line, or what `human` writes. */
  result(value: unknown, human: () => void): void {
    if (this.isJson) this.#io.stdout.write(`${JSON.stringify(value)}\n`);
    else human();
  }

  line(text = ""): void {
    this.#io.stdout.write(`${text}\n`);
  }

  /** A piece of a line, for what comes bit by bit. */
  write(text: string): void {
    this.#io.stdout.write(text);
  }

  /** Columns as wide as they need to be. Cells are the work of others, so nothing in them steers the terminal. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const clean = rows.map((row) => row.map(printable));
    const widths = head.map((title, column) =>
      Math.max(title.length, ...clean.map((row) => row[column]?.length ?? 0)),
    );
    const render = (cells: readonly string[]) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd();
    this.line(this.style("bold", render(head)));
    for (const row of clean) this.line(render(row));
  }

  /** For people only, beside the answer: a program that reads JSON gets warnings as JSON too. */
  warn(text: string): void {
    if (this.isJson) this.#io.stderr.write(`${JSON.stringify({ warning: text })}\n`);
    else this.#io.stderr.write(`${this.#styled(this.#io.stderr, "yellow", "warning:")} ${text}\n`);
  }

  note(text: string): void {
    if (!this.isJson) this.#io.stderr.write(`${text}\n`);
  }

  error(error: StoaError): void {
    const { stderr } = this.#io;
    const { code, message, details, entry } = error;
    // The person at this terminal owns the machine, so what is kept from callers is shown here.
    const cause = code === "INTERNAL" && error.cause !== undefined ? messageOf(error.cause) : undefined;
    if (this.isJson) {
      stderr.write(`${JSON.stringify({ error: { code, message, help: entry.help, details, cause } })}\n`);
      return;
    }
    stderr.write(
      `${this.#styled(stderr, "red", "error:")} ${message}${cause === undefined ? "" : ` (${cause})`}\n`,
    );
    stderr.write(`${this.#styled(stderr, "dim", `hint: ${entry.help} [${code}]`)}\n`);
  }

  /** Colours only where stdout is a terminal, and never with NO_COLOR. */
  style(style: Style, text: string): string {
    return this.#styled(this.#io.stdout, style, text);
  }

  #styled(stream: NodeJS.WritableStream, style: Style, text: string): string {
    const isTerminal = (stream as Partial<NodeJS.WriteStream>).isTTY === true;
    const { NO_COLOR, TERM } = this.#io.env;
    return isTerminal && !NO_COLOR && TERM !== "dumb"
      ? styleText(style, text, { validateStream: false })
      : text;
  }
}

export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{C}/gu, "\uFFFD");
}
