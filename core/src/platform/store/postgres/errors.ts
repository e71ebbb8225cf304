import { type ErrorCode, isStoaError, messageOf, StoaError } from "#platform/errors";

const sqlState = /^[0-9A-Z]{5}$/;

export function stateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" && sqlState.test(thrown.code) && "severity" in thrown
    ? thrown.code
    : undefined;
}

/** One line about an error of the network. Several addresses tried give an error that has no text of its own. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === "") {
    return thrown.errors.map((error) => messageOf(error)).join("; ");
  }
  return messageOf(thrown);
}

/** What the server or the network said becomes ours. Its text is kept beneath: it may hold the values of a row. */
export function toStoaError(thrown: unknown, sql?: string): StoaError {
  if (isStoaError(thrown)) return thrown;
  const state = stateOf(thrown);
  const cause = thrown instanceof Error && sql !== undefined ? Object.assign(thrown, { sql }) : thrown;
  if (state === undefined) {
    return new StoaError(
      "STORE_UNREACHABLE",
      `The connection to the database was lost (${reasonOf(thrown)}): whether the work in progress was carried ` +
        "out is not known.",
      { cause },
    );
  }
  const { constraint, table } = thrown as { constraint?: string; table?: string };
  const [code, message] = translate(state, thrown as Described);
  return new StoaError(code, message, {
    details: state.startsWith("23") ? { table, constraint } : {},
    cause,
  });
}

interface Described {
  readonly message: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

function translate(state: string, { message, table, column, constraint }: Described): [ErrorCode, string] {
  switch (state) {
    case "23505":
      return ["ALREADY_EXISTS", `An entry with the same ${constraint ?? "key"} exists already.`];
    case "23503":
      return [
        "INVALID_ARGUMENT",
        "The entry refers to another one that does not exist, or is referred to itself.",
      ];
    case "23502":
      return ["INVALID_ARGUMENT", `The entry needs a value for ${table}.${column}.`];
    case "40001":
    case "40P01":
    case "55P03":
      return ["STORE_CONFLICT", "The write met a concurrent one and was not carried out: retry it."];
    case "57014":
      return ["DEADLINE_EXCEEDED", "The database ended a statement that took longer than it may."];
    case "25P03":
      return [
        "DEADLINE_EXCEEDED",
        "The transaction was rolled back: it kept the database waiting for too long. Inside a transaction use its " +
          "own handle, not the store's, and wait for nothing but the database.",
      ];
    case "25P02":
      return [
        "FAILED_PRECONDITION",
        "The transaction was rolled back, because one of its statements failed.",
      ];
    case "53100":
      return ["STORE_FULL", "The disk that holds the database is full: free some space, then retry."];
    case "42501":
      return ["FAILED_PRECONDITION", `The database user lacks a right that Stoa needs: ${message}.`];
    case "25006":
      return ["STORE_UNREACHABLE", "The database server only lets itself be read: connect to its primary."];
    case "XX001":
    case "XX002":
      return ["STORE_CORRUPT", "The database server found its files damaged: restore them from a backup."];
  }
  switch (state.slice(0, 2)) {
    case "23":
      return ["INVALID_ARGUMENT", `The entry does not satisfy ${constraint ?? "a constraint"}.`];
    case "22":
      return ["INVALID_ARGUMENT", "A value does not fit its column."];
    case "08":
    case "57":
      return ["STORE_UNREACHABLE", `The database server ended the connection: ${message}.`];
    case "28":
    case "3D":
      return ["STORE_UNREACHABLE", `The database server refused the connection: ${message}.`];
    case "53":
      return ["STORE_UNREACHABLE", `The database server has no room for more: ${message}.`];
    default:
      return ["INTERNAL", "The database refused a statement; the log has the cause."];
  }
}
