import type { AgentListeners } from "#domain/agents";
import { StoaError } from "#platform/errors";
import type { HttpHost } from "#platform/http";

export interface ListenerOptions {
  /** The address to bind: the core's own, so that agents are not open wider than the core is. */
  readonly bindHost: string;
  /** Makes a host that serves the A2A routes of the agents which `agentAt` names. */
  readonly createHost: (agentAt: (named: string | undefined) => string | undefined) => Promise<HttpHost>;
}

interface Listener {
  readonly host: HttpHost;
  /** Who answers at the root: the first one that named this address. */
  readonly first: string;
  readonly agents: Set<string>;
}

/** The published default where a deployment url names no port. */
const defaultPort = 3773;

/** One HTTP listener for each port that registered agents name in their deployment url. */
export class AgentListenersOnHttp implements AgentListeners {
  readonly #options: ListenerOptions;
  readonly #listeners = new Map<number, Listener>();
  /** Openings and closings one after the other: two agents that name the same port must not both bind it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  open(agent: { id: string; deploymentUrl: string }): Promise<{ url: string }> {
    return this.#inTurn(async () => {
      const url = new URL(agent.deploymentUrl);
      const port = url.port === "" ? defaultPort : Number(url.port);
      for (const [other, listener] of this.#listeners) {
        if (other !== port && listener.agents.has(agent.id)) await this.#leave(other, agent.id);
      }
      const shared = this.#listeners.get(port);
      if (shared === undefined) {
        await this.#listen(port, agent.id);
        return { url: agent.deploymentUrl };
      }
      shared.agents.add(agent.id);
      if (shared.first === agent.id) return { url: agent.deploymentUrl };
      return { url: new URL(`/agents/${encodeURIComponent(agent.id)}`, url).href };
    });
  }

  close(agentId: string): Promise<void> {
    return this.#inTurn(async () => {
      for (const [port, listener] of this.#listeners)
        if (listener.agents.has(agentId)) await this.#leave(port, agentId);
    });
  }

  closeAll(): Promise<void> {
    return this.#inTurn(async () => {
      await Promise.all([...this.#listeners.values()].map(({ host }) => host.close()));
      this.#listeners.clear();
    });
  }

  async #listen(port: number, first: string): Promise<void> {
    const agents = new Set([first]);
    const host = await this.#options.createHost((named) =>
      agents.has(named ?? first) ? (named ?? first) : undefined,
    );
    try {
      await host.listen({ host: this.#options.bindHost, port, setting: "deployment.url of the agent" });
    } catch (thrown) {
      await host.close();
      throw StoaError.from(thrown);
    }
    this.#listeners.set(port, { host, first, agents });
  }

  async #leave(port: number, agentId: string): Promise<void> {
    const listener = this.#listeners.get(port);
    listener?.agents.delete(agentId);
    if (listener === undefined || listener.agents.size > 0) return;
    this.#listeners.delete(port);
    await listener.host.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }
}
