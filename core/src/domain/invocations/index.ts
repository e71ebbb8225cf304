export type { Caller, InvocationCall, InvocationOutcome } from "./invocation.ts";
export { type InvokeDependencies, invoke } from "./invoke.ts";
export { createInvocationMetrics } from "./metrics.ts";
export { type RequestAgentResult, toRequestAgentResult } from "./request-agent.ts";
