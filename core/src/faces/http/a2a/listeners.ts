import type { AgentListeners } from "#domain/agents";
import { StoaError } from "#platform/errors";
import type { HttpHost } from "#platform/http";
import { deploymentPort } from "./deployment-url.ts";

export interface ListenerOptions {
  /** The address to bind: the core's own, so that agents are not open wider than the core is. */
  readonly bindHost: string;
  /** Ports that the core itself is to listen on: an agent that took one would keep the core from starting again. */
  readonly corePorts: readonly number[];
  /** Makes a host that serves the A2A routes of the agents which `agentAt` names. */
  readonly createHost: (agentAt: (named: string | undefined) => string | undefined) => Promise<HttpHost>;
}

interface Listener {
  readonly host: HttpHost;
  /** Who answers at the root: the first one that named this address. */
  readonly first: string;
  readonly agents: Set<string>;
}

/** One HTTP listener for each port that registered agents name in their deployment url. */
export class AgentListenersOnHttp implements AgentListeners {
  readonly #options: ListenerOptions;
  readonly #listeners = new Map<number, Listener>();
  /**
   * Openings and closings of one port, one after the other: two agents that name it must not both bind it, and
   * who names it anew waits until it is free. Ports do not wait for one another: a closing takes as long as its
   * slowest call.
   */
  readonly #last = new Map<number, Promise<unknown>>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async open(agent: { id: string; deploymentUrl: string }): Promise<{ url: string }> {
    const port = deploymentPort(agent.deploymentUrl);
    if (this.#options.corePorts.includes(port)) {
      throw new StoaError(
        "PORT_TAKEN",
        `deployment.url names port ${port}, which is the core's own. Choose another for the agent.`,
      );
    }
    const listener = await this.#inTurn(port, () => this.#join(port, agent.id));
    // Only now: an agent that cannot have its new address keeps the old one. Nobody waits for the old one's calls.
    for (const other of this.#portsOf(agent.id)) if (other !== port) void this.#leave(other, agent.id);
    if (listener.first === agent.id) return { url: agent.deploymentUrl };
    return { url: new URL(`/agents/${encodeURIComponent(agent.id)}`, agent.deploymentUrl).href };
  }

  async close(agentId: string): Promise<void> {
    await Promise.all(this.#portsOf(agentId).map((port) => this.#leave(port, agentId)));
  }

  async closeAll(): Promise<void> {
    const ports = new Set([...this.#listeners.keys(), ...this.#last.keys()]);
    await Promise.all(
      [...ports].map((port) =>
        this.#inTurn(port, async () => {
          await this.#listeners.get(port)?.host.close();
          this.#listeners.delete(port);
        }),
      ),
    );
  }

  #portsOf(agentId: string): number[] {
    return [...this.#listeners].flatMap(([port, { agents }]) => (agents.has(agentId) ? [port] : []));
  }

  async #join(port: number, agentId: string): Promise<Listener> {
    const known = this.#listeners.get(port);
    if (known !== undefined) {
      known.agents.add(agentId);
      return known;
    }
    const agents = new Set([agentId]);
    const host = await this.#options.createHost((named = agentId) => (agents.has(named) ? named : undefined));
    try {
      await host.listen({ host: this.#options.bindHost, port, setting: "deployment.url of the agent" });
    } catch (thrown) {
      await host.close();
      throw StoaError.from(thrown);
    }
    const listener = { host, first: agentId, agents };
    this.#listeners.set(port, listener);
    return listener;
  }

  /** The agent is gone from there at once; the listener is when its last call has ended. */
  #leave(port: number, agentId: string): Promise<void> {
    this.#listeners.get(port)?.agents.delete(agentId);
    return this.#inTurn(port, async () => {
      const listener = this.#listeners.get(port);
      if (listener === undefined || listener.agents.size > 0) return;
      this.#listeners.delete(port);
      await listener.host.close();
    });
  }

  #inTurn<T>(port: number, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(port) ?? Promise.resolve()).then(work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(port, settled);
    void settled.then(() => {
      if (this.#last.get(port) === settled) this.#last.delete(port);
    });
    return mine;
  }
}
