import type { Agent, AgentDirectory } from "#domain/agents";
import type { CapabilityCatalogue, CapabilityRuntime } from "#domain/capabilities";
import type { AgentCapabilities } from "#domain/rpc";

export interface StatusReport {
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: "native" | "registered";
    readonly status: string;
    readonly url: string;
    readonly description: string;
  }[];
  readonly capabilities: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason?: string;
    readonly tools: readonly {
      readonly name: string;
      readonly policy: string;
      readonly description: string;
    }[];
  }[];
  readonly agentCapabilities: readonly {
    readonly agent: string;
    readonly name: string;
    readonly description: string;
  }[];
}

export interface StatusDependencies {
  readonly version: string;
  readonly startedAt: number;
  readonly clock: () => number;
  readonly directory: AgentDirectory;
  readonly catalogue: CapabilityCatalogue;
  readonly runtime: CapabilityRuntime;
  readonly agentCapabilities: AgentCapabilities;
}

/** What this core is serving, as one workspace sees it. */
export function statusReport(workspaceId: string, deps: StatusDependencies): StatusReport {
  return {
    version: deps.version,
    uptimeSeconds: Math.round((deps.clock() - deps.startedAt) / 1000),
    agents: deps.directory.list(workspaceId).map(agentLine),
    capabilities: deps.catalogue.list().map((capability) => {
      const status = deps.runtime.status(capability);
      return {
        id: capability.id,
        status: status.state,
        ...(status.state === "unhealthy" ? { reason: status.reason } : {}),
        tools: capability.tools.map((tool) => ({
          name: tool.qualifiedName,
          policy: tool.recommendedPolicy,
          description: tool.description,
        })),
      };
    }),
    agentCapabilities: deps.agentCapabilities.configs().flatMap((config) =>
      config.capabilities.map(({ name, description }) => ({
        agent: config.agentId,
        name,
        description: description ?? "",
      })),
    ),
  };
}

function agentLine(agent: Agent) {
  const { id, name, kind, description } = agent;
  if (agent.kind === "registered")
    return { id, name, kind, description, status: agent.status, url: agent.url };
  return { id, name, kind, description, status: "active", url: `/agents/${id}/` };
}
