import { type CapabilityCatalogue, decidePolicy } from "#domain/capabilities";
import type { AgentCapabilities } from "#domain/rpc";
import type { ModelTool } from "#platform/models";
import type { NativeAgent } from "../agent.ts";

export interface ToolboxDependencies {
  readonly catalogue: CapabilityCatalogue;
  readonly agentCapabilities: AgentCapabilities;
}

/** What the model of an agent is offered: its tools, less the blocked ones, and what its peers declare. */
export function toolsOf(agent: NativeAgent, deps: ToolboxDependencies): ModelTool[] {
  const tools: ModelTool[] = [];
  for (const name of agent.tools) {
    const found = deps.catalogue.findTool(name);
    if (found === undefined || decidePolicy(found.tool, agent.policies).policy === "block") continue;
    tools.push({ name, description: found.tool.description, inputSchema: found.tool.inputSchema });
  }
  for (const peer of agent.peers) {
    for (const { target, capability } of deps.agentCapabilities.of(peer)) {
      tools.push({
        name: target,
        description: capability.description ?? capability.name,
        inputSchema: capability.inputSchema ?? { type: "object" },
      });
    }
  }
  return tools;
}

/** Everything the agent was given leave to use, blocked tools included: that they are blocked is the policy's to say. */
export function allowedTargets(agent: NativeAgent, deps: ToolboxDependencies): ReadonlySet<string> {
  const declared = agent.peers.flatMap((peer) => deps.agentCapabilities.of(peer).map(({ target }) => target));
  return new Set([...agent.tools, ...declared]);
}
