import type { Agent, NativeAgent } from "./agent.ts";
import type { AgentRegistry } from "./registered/index.ts";

/** Every agent of this core: those of the fleet, which all workspaces see, and each workspace's registered ones. */
export class AgentDirectory {
  readonly #native = new Map<string, NativeAgent>();
  readonly #registry: AgentRegistry;

  constructor(native: readonly NativeAgent[], registry: AgentRegistry) {
    for (const agent of native) this.#native.set(agent.id, agent);
    this.#registry = registry;
  }

  find(id: string, workspaceId: string): Agent | undefined {
    const native = this.#native.get(id);
    if (native !== undefined) return native;
    const registered = this.#registry.get(id);
    return registered?.workspaceId === workspaceId ? registered : undefined;
  }

  /** By id, or by a name that only one agent of the workspace has. */
  findByIdOrName(text: string, workspaceId: string): Agent | undefined {
    const byId = this.find(text, workspaceId);
    if (byId !== undefined) return byId;
    const named = this.list(workspaceId).filter(({ name }) => name === text);
    return named.length === 1 ? named[0] : undefined;
  }

  native(id: string): NativeAgent | undefined {
    return this.#native.get(id);
  }

  list(workspaceId: string): Agent[] {
    return [
      ...this.#native.values(),
      ...this.#registry.list().filter((agent) => agent.workspaceId === workspaceId),
    ];
  }
}
