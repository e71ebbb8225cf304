import type { Tool } from "./capability.ts";

export type Policy = "allow" | "ask" | "block";

export interface PolicyDecision {
  readonly policy: Policy;
  /** Who decided, for the ledger and for the person who wonders. */
  readonly decidedBy: "agent" | "manifest";
}

/** The agent's own word counts first, then what the tool's author recommends; a manifest's silence is `block`. */
export function decidePolicy(tool: Tool, agentPolicies: ReadonlyMap<string, Policy>): PolicyDecision {
  const own = agentPolicies.get(tool.qualifiedName);
  if (own !== undefined) return { policy: own, decidedBy: "agent" };
  return { policy: tool.recommendedPolicy, decidedBy: "manifest" };
}
