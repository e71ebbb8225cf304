import type { Ledger, LedgerRecord, RecordOf } from "#domain/ledger";
import type { Store } from "#platform/store";
import type { InvocationCall, InvocationOutcome } from "./invocation.ts";
import type { InvocationMetrics } from "./metrics.ts";
import type { Target } from "./target.ts";

export interface RecordDependencies {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly clock: () => number;
  readonly metrics: InvocationMetrics;
}

/** The ledger proves that a call happened; it is no archive of what was said in it. */
const longestPayload = 64 * 1024;

/** One transaction for the records of a call and for what its caller keeps of it. */
export async function recordOutcome(
  call: InvocationCall,
  target: Target | undefined,
  outcome: InvocationOutcome,
  deps: RecordDependencies,
): Promise<void> {
  const records = recordsOf(call, target, outcome);
  const statements = records.map((record) => deps.ledger.statement(record).query);
  await deps.store.batch([...statements, ...(call.alongside?.(outcome) ?? [])]);
  deps.metrics.observe(target?.kind ?? "unknown", outcomeOf(outcome), outcome.latencyMs);
}

function recordsOf(
  call: InvocationCall,
  target: Target | undefined,
  outcome: InvocationOutcome,
): LedgerRecord[] {
  const { caller, correlationId } = call;
  const inCall = { tenantId: caller.workspaceId, correlationId, sessionId: caller.sessionId };
  const error = outcome.status === "ok" ? undefined : outcome.error;
  const invocation: LedgerRecord = {
    kind: "invocation",
    ...inCall,
    invocationId: correlationId,
    capability: target?.name ?? call.target.slice(0, 512),
    callerId: caller.agentId,
    userId: caller.userId,
    outcome: outcomeOf(outcome),
    durationMs: outcome.latencyMs,
    args: bounded(call.args),
    ...(target === undefined ? {} : { calleeId: target.peerId }),
    ...(error === undefined ? {} : { errorCode: error.code, message: error.message.slice(0, 4_096) }),
    ...(outcome.status === "ok" ? { result: bounded(outcome.result) } : {}),
  };
  const records: LedgerRecord[] = [invocation];
  if (outcome.status === "schema-violation" && target?.kind === "agent") {
    records.push({
      kind: "capability_schema_violation",
      ...inCall,
      capabilityName: target.capabilityName,
      peerId: target.peerId,
      side: outcome.side,
      violations: outcome.violations.map(({ path, message }) => ({ path, message })),
    });
  }
  if (error?.code === "POLICY_BLOCKED" && target !== undefined) {
    const { policy, decidedBy } = target.policy;
    records.push({
      kind: "policy_decision",
      ...inCall,
      capability: target.name,
      callerId: caller.agentId,
      userId: caller.userId,
      decision: policy,
      source: decidedBy,
    });
  }
  return records;
}

type Outcome = RecordOf<"invocation">["outcome"];

function outcomeOf(outcome: InvocationOutcome): Outcome {
  if (outcome.status === "ok") return "ok";
  switch (outcome.error.code) {
    case "POLICY_BLOCKED":
      return "blocked";
    case "PERMISSION_DENIED":
      return "denied";
    case "DEADLINE_EXCEEDED":
      return "timeout";
    case "CANCELLED":
      return "cancelled";
    default:
      return "error";
  }
}

function bounded(value: unknown): unknown {
  const json = JSON.stringify(value) ?? "null";
  const bytes = Buffer.byteLength(json);
  // Through JSON and back: what a caller holds may have keys that JSON does not carry.
  return bytes > longestPayload
    ? { omitted: "too large to keep", bytes }
    : (JSON.parse(json.toWellFormed()) as unknown);
}
