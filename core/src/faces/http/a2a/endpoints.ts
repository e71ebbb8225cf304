import type { Agent, RegisteredAgent } from "#domain/agents";
import { AgentEndpoint, type EndpointDependencies } from "./endpoint.ts";

const longestMemory = 1_000;

/** Endpoints of agents, made when first asked for and remade when an agent's registration changed. */
export class Endpoints {
  readonly #deps: EndpointDependencies;
  readonly #made = new Map<string, { agent: Agent; endpoint: AgentEndpoint }>();

  constructor(deps: EndpointDependencies) {
    this.#deps = deps;
  }

  of(agent: Agent, url: string): AgentEndpoint {
    const key = `${agent.id} ${url}`;
    const known = this.#made.get(key);
    if (known !== undefined && sameIdentity(known.agent, agent)) return known.endpoint;
    if (this.#made.size >= longestMemory) this.#made.clear();
    const endpoint = new AgentEndpoint(agent, url, this.#deps);
    this.#made.set(key, { agent, endpoint });
    return endpoint;
  }
}

/** A change of status alone does not make another agent: its running tasks stay where they are. */
function sameIdentity(a: Agent, b: Agent): boolean {
  if (a === b) return true;
  const identity = ({ status: _status, ...rest }: RegisteredAgent) => JSON.stringify(rest);
  return a.kind === "registered" && b.kind === "registered" && identity(a) === identity(b);
}
