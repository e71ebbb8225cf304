import type { CapabilityCatalogue, CapabilityRuntime } from "#domain/capabilities";
import { type AgentCapabilities, isAgentTarget } from "#domain/rpc";
import { StoaError } from "#platform/errors";
import { type AgentTargetDependencies, agentTarget } from "./agent-target.ts";
import type { InvocationCall } from "./invocation.ts";
import type { Target } from "./target.ts";
import { toolTarget } from "./tool-target.ts";

export interface ResolveDependencies extends AgentTargetDependencies {
  readonly catalogue: CapabilityCatalogue;
  readonly runtime: CapabilityRuntime;
  readonly agentCapabilities: AgentCapabilities;
}

/** What the call's target is: a capability that an agent declares, or a tool of a capability. */
export function resolve(call: InvocationCall, deps: ResolveDependencies): Target {
  const target = find(call, deps);
  if (target === undefined && isAgentTarget(call.target)) throw deps.agentCapabilities.missing(call.target);
  if (target === undefined) {
    throw new StoaError(
      "NOT_FOUND",
      `Nothing here is called ${JSON.stringify(call.target)}; \`stoa status\` lists what is.`,
    );
  }
  // Checked after the look-up, so that a name that does not exist is told apart from one that is not allowed.
  if (!call.caller.mayUse(call.target)) {
    throw new StoaError(
      "PERMISSION_DENIED",
      `Agent ${call.caller.agentId} may not use ${call.target}; add it to its agent.yaml.`,
    );
  }
  return target;
}

function find(call: InvocationCall, deps: ResolveDependencies): Target | undefined {
  const declared = deps.agentCapabilities.find(call.target);
  if (declared !== undefined) return agentTarget(declared, deps);
  const tool = deps.catalogue.findTool(call.target);
  return tool === undefined ? undefined : toolTarget(tool.capability, tool.tool, deps.runtime, call);
}
