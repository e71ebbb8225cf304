import { type ErrorCode, StoaError } from "#platform/errors";
import { type Failure, failures } from "./protocol.ts";

/** SQLite names the columns: `UNIQUE constraint failed: memories.workspace_id, memories.key`. */
const constraint = /^(?:UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed(?:: (([^.]*).*))?$/;

/** SQLite's own name of a failure becomes ours. Its text is kept beneath: it may hold the values of a row. */
export function toStoaError(failure: Failure): StoaError {
  const cause = Object.assign(new Error(failure.message), { code: failure.code, sql: failure.sql });
  const [code, message] = translate(failure);
  const [, columns, table] = constraint.exec(failure.message) ?? [];
  const details = failure.code.startsWith("SQLITE_CONSTRAINT") ? { table, constraint: columns } : {};
  return new StoaError(code, message, { details, cause });
}

function translate({ code, message }: Failure): [ErrorCode, string] {
  const where = constraint.exec(message)?.[1] ?? "a constraint";
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
    return ["ALREADY_EXISTS", `An entry with the same ${where} exists already.`];
  }
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") {
    return [
      "INVALID_ARGUMENT",
      "The entry refers to another one that does not exist, or is referred to itself.",
    ];
  }
  if (code === "SQLITE_CONSTRAINT_NOTNULL") {
    return ["INVALID_ARGUMENT", `The entry needs a value for ${where}.`];
  }
  if (code.startsWith("SQLITE_CONSTRAINT")) {
    return ["INVALID_ARGUMENT", `The entry does not satisfy ${where}.`];
  }
  if (code === "SQLITE_FULL") {
    return ["STORE_FULL", "The disk that holds the database is full: free some space, then retry."];
  }
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) {
    return ["STORE_CORRUPT", "The database file is damaged: restore it from a backup. It is left as it is."];
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return ["STORE_CONFLICT", "Another process has been writing to the database for too long: retry."];
  }
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN")) {
    return ["HOME_UNWRITABLE", "The database file cannot be opened for writing: check its owner and mode."];
  }
  if (code.startsWith("SQLITE_IOERR")) {
    return ["UNAVAILABLE", "The disk failed while the database was using it; the log has the cause."];
  }
  if (code === failures.idle) {
    return [
      "DEADLINE_EXCEEDED",
      `The transaction was rolled back: ${message}. Inside a transaction use its own handle, not the store's, ` +
        "and wait for nothing but the database.",
    ];
  }
  if (code === failures.aborted) {
    return ["FAILED_PRECONDITION", "The transaction was rolled back, because one of its statements failed."];
  }
  if (code === failures.streamGone) {
    return ["DEADLINE_EXCEEDED", `The stream of rows was closed: it was ${message}.`];
  }
  if (code === failures.noLog) {
    return [
      "HOME_UNWRITABLE",
      "The file system cannot hold a shared database: set STOA_HOME to a local disk.",
    ];
  }
  if (code === failures.tooManyStreams) {
    return ["RATE_LIMITED", `Too many streams of rows are being read at once (${message}): retry later.`];
  }
  return ["INTERNAL", "The database refused a statement; the log has the cause."];
}
