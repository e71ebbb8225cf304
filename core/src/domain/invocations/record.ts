import type { Ledger, LedgerRecord, RecordOf } from "#domain/ledger";
import type { Logger } from "#platform/log";
import type { Store } from "#platform/store";
import type { InvocationCall, InvocationOutcome } from "./invocation.ts";
import type { InvocationMetrics } from "./metrics.ts";
import type { Target } from "./target.ts";

export interface RecordDependencies {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly clock: () => number;
  readonly metrics: InvocationMetrics;
  readonly log: Logger;
}

/**
 * The ledger proves that a call happened; it is no archive of what was said in it. What callers and callees say is
 * cut to what a record can hold: nothing they say may keep a call out of the ledger.
 */
const most = { payload: 64 * 1024, depth: 64, text: 4_096, name: 256, violations: 100 } as const;

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
  deps.metrics.observe(target?.kind ?? "unknown", outcomeOf(outcome, target), outcome.latencyMs);
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
    capability: label(target?.name ?? call.target),
    callerId: caller.agentId,
    userId: caller.userId,
    outcome: outcomeOf(outcome, target),
    durationMs: outcome.latencyMs,
    args: bounded(call.args),
    ...(target === undefined ? {} : { calleeId: target.peerId }),
    ...(error === undefined ? {} : { errorCode: error.code, message: clip(error.message, most.text) }),
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
      violations: outcome.violations.slice(0, most.violations).map(({ path, message }) => ({
        path: clip(path, most.text),
        message: clip(message, most.text),
      })),
    });
  }
  if (target !== undefined && isPolicyRefusal(outcome, target)) {
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

function outcomeOf(outcome: InvocationOutcome, target: Target | undefined): Outcome {
  if (outcome.status === "ok") return "ok";
  if (target !== undefined && isPolicyRefusal(outcome, target)) return "blocked";
  switch (outcome.error.code) {
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

/** Told by the policy itself as well: an error's code alone may come from somewhere else. */
function isPolicyRefusal(outcome: InvocationOutcome, target: Target): boolean {
  return (
    outcome.status === "error" && outcome.error.code === "POLICY_BLOCKED" && target.policy.policy !== "allow"
  );
}

function label(text: string): string {
  return clip(text.replace(/\p{Cc}/gu, "\uFFFD"), most.name) || "(unnamed)";
}

function clip(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/** The value as JSON carries it, or a note in its place where it is too much. */
function bounded(value: unknown): unknown {
  if (depthOf(value, most.depth) > most.depth) return { omitted: "nested too deeply to keep" };
  const json = JSON.stringify(value) ?? "null";
  const bytes = Buffer.byteLength(json);
  if (bytes > most.payload) return { omitted: "too large to keep", bytes };
  return JSON.parse(json, (_key, each: unknown) => wellFormed(each)) as unknown;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), each]));
}

/** How deeply a value is nested, counted no further than it matters. */
function depthOf(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null || limit < 0) return 0;
  let deepest = 0;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, limit - 1));
  return deepest + 1;
}
