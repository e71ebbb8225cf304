/** What travels between the event loop and the database threads. */

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type WriterRequest =
  /** All of the statements or none, without another word from the caller. */
  | { readonly id: number; readonly kind: "run"; readonly statements: readonly Statement[] }
  /** One statement of a transaction that the caller leads; the first one opens it. */
  | {
      readonly id: number;
      readonly kind: "step";
      readonly transaction: number;
      readonly first: boolean;
      /** A return to a savepoint: the one thing that a transaction can do after one of its statements failed. */
      readonly recovers: boolean;
      readonly statement: Statement;
    }
  | { readonly id: number; readonly kind: "end"; readonly transaction: number; readonly commit: boolean }
  | { readonly id: number; readonly kind: "ping" }
  | { readonly id: number; readonly kind: "close" };

export type ReaderRequest =
  | { readonly id: number; readonly kind: "read"; readonly statement: Statement }
  | { readonly id: number; readonly kind: "open"; readonly cursor: number; readonly statement: Statement }
  | { readonly id: number; readonly kind: "fetch"; readonly cursor: number; readonly count: number }
  | { readonly id: number; readonly kind: "drop"; readonly cursor: number }
  | { readonly id: number; readonly kind: "close" };

export type Request = WriterRequest | ReaderRequest;

export interface Result {
  readonly rows: readonly unknown[];
  readonly changes?: number;
}

/** An error in the form that survives the way between threads. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The statement, with placeholders in the place of values. */
  readonly sql?: string;
}

export type Reply =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly failure: Failure };

/** A thread's first word: its database is open, or why not. */
export type Greeting = { readonly open: true } | { readonly open: false; readonly failure: Failure };

export interface ReaderSettings {
  readonly file: string;
  /** A result set that nobody reads from for this long is closed: it keeps the log from being cut. */
  readonly streamIdleMs: number;
}

export interface WriterSettings {
  readonly file: string;
  /** How long a transaction may keep the writer waiting, in all. */
  readonly idleInTransactionMs: number;
}

export const empty: Result = { rows: [] };

/** Failures of ours that SQLite has no name for. */
export const failures = {
  idle: "STOA_IDLE_IN_TRANSACTION",
  aborted: "STOA_TRANSACTION_ABORTED",
  lost: "STOA_BATCH_LOST",
  streamGone: "STOA_STREAM_GONE",
  noLog: "STOA_NO_LOG",
  tooManyStreams: "STOA_TOO_MANY_STREAMS",
} as const;

export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { code: "UNKNOWN", message: String(thrown) };
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
  const sql = "sql" in thrown && typeof thrown.sql === "string" ? thrown.sql : undefined;
  return { code, message: thrown.message, ...(sql === undefined ? {} : { sql }) };
}
