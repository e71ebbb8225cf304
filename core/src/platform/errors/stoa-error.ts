import { type CatalogueEntry, catalogue, type ErrorCode } from "./catalogue.ts";

export interface StoaErrorOptions {
  /** Typed facts for programs: they travel to the caller, so never put a secret here. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What lies beneath: logged, never sent to a caller. */
  readonly cause?: unknown;
}

/** The one error class. Its message says what happened, where, and what to do. */
export class StoaError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: StoaErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StoaError";
    this.code = code;
    this.details = options.details ?? {};
  }

  get entry(): CatalogueEntry {
    return catalogue[this.code];
  }

  /**
   * Anything thrown becomes a StoaError. A foreign error turns into INTERNAL with a fixed text: its own
   * message may hold paths, queries or secrets, so it stays in `cause`, for the log.
   */
  static from(thrown: unknown): StoaError {
    if (thrown instanceof StoaError) return thrown;
    if (isAbort(thrown)) {
      const timedOut = (thrown as Error).name === "TimeoutError";
      return timedOut
        ? new StoaError("DEADLINE_EXCEEDED", "The deadline passed before the work was done.", {
            cause: thrown,
          })
        : new StoaError("CANCELLED", "The call was cancelled.", { cause: thrown });
    }
    return new StoaError("INTERNAL", "Something went wrong inside Stoa; the log has the cause.", {
      cause: thrown,
    });
  }
}

export function isStoaError(thrown: unknown, code?: ErrorCode): thrown is StoaError {
  return thrown instanceof StoaError && (code === undefined || thrown.code === code);
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === "AbortError" || thrown.name === "TimeoutError");
}

/** The text of anything thrown, for places that must print or log one line. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
