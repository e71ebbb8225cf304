import { StoaError } from "#platform/errors";

/** One thing wrong in a contract file, and where. Lines and columns count from 1. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** RFC 6901 pointer to the value, `/` for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** Where something stands in a file. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly path: string;
}

const MAX_PROBLEMS = 200;

/** Everything found in one file, so that it can be reported at once. */
export class Problems {
  readonly file: string;
  readonly errors: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];

  constructor(file: string) {
    this.file = file;
  }

  error(at: Position, message: string): void {
    if (this.errors.length < MAX_PROBLEMS) this.errors.push(this.#problem(at, message));
  }

  warn(at: Position, message: string): void {
    if (this.warnings.length < MAX_PROBLEMS) this.warnings.push(this.#problem(at, message));
  }

  #problem({ line, column, path }: Position, message: string): FileProblem {
    return { file: this.file, line, column, path: path || "/", message };
  }

  throwIfAny(): void {
    if (this.errors.length > 0) throw fileInvalid(inOrder(this.errors));
  }
}

/** From the top of the file to its end: checks are made in an order of their own. */
export function inOrder(problems: readonly FileProblem[]): FileProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** `agents/a/agent.yaml:3:1: unknown key "modle"` */
export function fileProblemText({ file, line, column, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}

export function fileInvalid(problems: readonly FileProblem[]): StoaError {
  return new StoaError("FILE_INVALID", problems.map(fileProblemText).join("\n"), { details: { problems } });
}

export const startOfFile: Position = { line: 1, column: 1, path: "" };
