import type { AgentCapability, CapabilitiesConfig } from "#domain/contracts/capabilities";
import type { StoaError } from "#platform/errors";
import { rpcError } from "./rpc-error.ts";

export interface DeclaredCapability {
  /** What a model, or a person, calls it: `request_agent__{agent}__{capability}`. */
  readonly target: string;
  readonly config: CapabilitiesConfig;
  readonly capability: AgentCapability;
}

const prefix = "request_agent__";

/** What the agents of the fleet declare in their capabilities.yaml, by agent and by the name it is called by. */
export class AgentCapabilities {
  readonly #configs = new Map<string, CapabilitiesConfig>();
  readonly #byTarget = new Map<string, DeclaredCapability>();

  add(config: CapabilitiesConfig): void {
    this.#configs.set(config.agentId, config);
    for (const capability of config.capabilities) {
      const target = targetName(config.agentId, capability.name);
      this.#byTarget.set(target, { target, config, capability });
    }
  }

  configs(): CapabilitiesConfig[] {
    return [...this.#configs.values()];
  }

  of(agentId: string): DeclaredCapability[] {
    return [...this.#byTarget.values()].filter(({ config }) => config.agentId === agentId);
  }

  find(target: string): DeclaredCapability | undefined {
    return this.#byTarget.get(target);
  }

  /** Why nothing is declared under this target, in the contract's words: no such peer, or no such capability of it. */
  missing(target: string): StoaError {
    const rest = target.slice(prefix.length);
    const peer = this.configs().find(({ agentId }) => rest.startsWith(`${agentId}__`));
    if (peer !== undefined) return noCapability(peer, rest.slice(peer.agentId.length + 2));
    const [agentId = ""] = rest.split("__");
    return rpcError(
      "EAGENTRPC_NO_PEER",
      `No agent ${JSON.stringify(agentId)} with a capabilities.yaml is in the fleet.`,
    );
  }
}

export function noCapability(config: CapabilitiesConfig, name: string) {
  const known = config.capabilities.map((capability) => capability.name).join(", ") || "none";
  return rpcError(
    "EAGENTRPC_NO_CAPABILITY",
    `agent://${config.agentId} has no capability ${JSON.stringify(name)}; it has: ${known}.`,
  );
}

/** A capability id has no underscore, so no tool's name can begin like this. */
export function isAgentTarget(target: string): boolean {
  return target.startsWith(prefix);
}

/** What a request to this capability of this agent is called. */
export function targetName(agentId: string, capability: string): string {
  return `${prefix}${agentId}__${capability}`;
}
