import type { AgentCapability, CapabilitiesConfig } from "#domain/contracts/capabilities";
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

  /** The target of a request, or the contract's error: no such peer, or no such capability of it. */
  targetOf(agentId: string, capability: string): string {
    const config = this.#configs.get(agentId);
    if (config === undefined) {
      throw rpcError(
        "EAGENTRPC_NO_PEER",
        `No agent ${JSON.stringify(agentId)} with a capabilities.yaml is in the fleet.`,
      );
    }
    if (!config.capabilities.some(({ name }) => name === capability)) throw noCapability(config, capability);
    return targetName(agentId, capability);
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

function targetName(agentId: string, capability: string): string {
  return `${prefix}${agentId}__${capability}`;
}
