import type { CompiledQuery } from "kysely";
import type { Policy } from "#domain/capabilities";
import type { Violation } from "#domain/contracts/schema";
import type { StoaError } from "#platform/errors";

/** Who calls, and what they were given leave to use. */
export interface Caller {
  readonly workspaceId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** Whether this caller may use the target at all; a native agent's own list. */
  readonly mayUse: (target: string) => boolean;
  readonly policies: ReadonlyMap<string, Policy>;
}

/** One call of one capability. */
export interface InvocationCall {
  readonly caller: Caller;
  /** `{capability}__{tool}`, or `request_agent__{agent}__{capability}`. */
  readonly target: string;
  readonly args: unknown;
  /** A fresh id for each call; shared only by the records and envelopes of this one call. */
  readonly correlationId: string;
  readonly causedBy?: string;
  /** How many agents this call has passed through; bounded, so that agents cannot call each other for ever. */
  readonly hops: number;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** Statements of the caller that belong into the transaction of the ledger record. */
  readonly alongside?: (outcome: InvocationOutcome) => readonly CompiledQuery[];
}

interface OutcomeBase {
  readonly correlationId: string;
  readonly latencyMs: number;
}

export type InvocationOutcome = OutcomeBase &
  (
    | { readonly status: "ok"; readonly result: unknown }
    | {
        readonly status: "schema-violation";
        readonly side: "request" | "response";
        readonly violations: readonly Violation[];
        /** What came back, kept for debugging; absent on the request side, where nothing was sent. */
        readonly result?: unknown;
        readonly error: StoaError;
      }
    | { readonly status: "error"; readonly error: StoaError }
  );
