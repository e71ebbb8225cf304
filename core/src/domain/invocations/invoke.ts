import type { Violation } from "#domain/contracts/schema";
import { StoaError } from "#platform/errors";
import { stripApprovalText } from "./approval-text.ts";
import type { InvocationCall, InvocationOutcome } from "./invocation.ts";
import { type RecordDependencies, recordOutcome } from "./record.ts";
import { type ResolveDependencies, resolve } from "./resolve.ts";
import type { Target } from "./target.ts";

export interface InvokeDependencies extends ResolveDependencies, RecordDependencies {}

/**
 * The one path of every call, whoever makes it: resolve, strip approval text, check arguments, policy,
 * credentials, dispatch, check result, record. It does not throw for what a callee or a caller did wrong: the
 * outcome says it, and the ledger keeps it.
 */
export async function invoke(call: InvocationCall, deps: InvokeDependencies): Promise<InvocationOutcome> {
  const started = deps.clock();
  const stamp = () => ({ correlationId: call.correlationId, latencyMs: Math.max(0, deps.clock() - started) });
  let target: Target | undefined;
  let outcome: InvocationOutcome;
  try {
    target = resolve(call, deps);
    const { args } = stripApprovalText(call.args);
    const requestViolations = target.checkArguments(args);
    if (requestViolations.length > 0) {
      outcome = { ...stamp(), ...violation("request", target, requestViolations) };
    } else {
      requireAllow(target);
      const credentials = await target.credentials();
      call.signal.throwIfAborted();
      const result = await target.dispatch(args, credentials, call);
      const responseViolations = target.checkResult(result);
      outcome =
        responseViolations.length > 0
          ? { ...stamp(), ...violation("response", target, responseViolations), result }
          : { ...stamp(), status: "ok", result };
    }
  } catch (thrown) {
    const error = StoaError.from(thrown);
    if (error.code === "INTERNAL")
      deps.log.error({ err: error, target: call.target }, "a call failed inside the core");
    outcome = { ...stamp(), status: "error", error };
  }
  await recordOutcome(call, target, outcome, deps);
  return outcome;
}

function requireAllow(target: Target): void {
  const { policy, decidedBy } = target.policy;
  if (policy === "allow") return;
  const why = policy === "ask" ? "it needs a person's approval for each call" : "it is blocked";
  throw new StoaError("POLICY_BLOCKED", `${target.name} was not run: ${why} (decided by the ${decidedBy}).`, {
    details: { policy, decidedBy },
  });
}

function violation(side: "request" | "response", target: Target, violations: Violation[]) {
  const schema =
    target.kind === "tool" ? "input_schema" : side === "request" ? "inputSchema" : "outputSchema";
  const shown = violations
    .slice(0, 3)
    .map(({ path, message }) => `${path} ${message}`)
    .join("; ");
  const more = violations.length > 3 ? `; and ${violations.length - 3} more` : "";
  return {
    status: "schema-violation" as const,
    side,
    violations,
    error: new StoaError(
      "SCHEMA_VIOLATION",
      `The ${side} of ${target.name} breaks its ${schema}: ${shown}${more}.`,
      {
        details: { side, violations, rpcCode: "EAGENTRPC_SCHEMA_VIOLATION" },
      },
    ),
  };
}
