import type { Violation } from "#domain/contracts/schema";
import { rpcCodeOf } from "#domain/rpc";
import type { InvocationOutcome } from "./invocation.ts";

/** The result of RequestAgent, as the published contract spells it. */
export interface RequestAgentResult {
  readonly status: "ok" | "error" | "timeout" | "abandoned" | "busy" | "schema-violation";
  readonly correlationId: string;
  readonly latencyMs: number;
  readonly response?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
  readonly violations?: readonly Violation[];
  readonly schemaSide?: "request" | "response";
}

export function toRequestAgentResult(outcome: InvocationOutcome): RequestAgentResult {
  const { correlationId, latencyMs } = outcome;
  if (outcome.status === "ok") return { status: "ok", correlationId, latencyMs, response: outcome.result };
  const code = rpcCodeOf(outcome.error);
  const error = { code, message: outcome.error.message };
  if (outcome.status === "schema-violation") {
    return {
      status: "schema-violation",
      correlationId,
      latencyMs,
      schemaSide: outcome.side,
      violations: outcome.violations,
      error,
      ...(outcome.result === undefined ? {} : { response: outcome.result }),
    };
  }
  return {
    status: statusOf[code] ?? "error",
    correlationId,
    latencyMs,
    error: { ...error, details: outcome.error.details },
  };
}

const statusOf: Readonly<Record<string, RequestAgentResult["status"]>> = {
  EAGENTRPC_TIMEOUT: "timeout",
  EAGENTRPC_ABANDONED: "abandoned",
  EAGENTRPC_BUSY: "busy",
};
