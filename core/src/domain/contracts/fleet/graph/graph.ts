import type { Fleet, FleetAgent } from "../types.ts";

/** Who may call whom. */
export interface FleetGraph {
  readonly name: string;
  /** In the order in which they are drawn. */
  readonly nodes: readonly FleetNode[];
  readonly edges: readonly FleetEdge[];
}

export interface FleetNode {
  /** `agent:<id>` or `tool:<id>`. */
  readonly key: string;
  readonly kind: "agent" | "outside agent" | "tool capability";
  readonly id: string;
  readonly manager: boolean;
}

export interface FleetEdge {
  readonly from: string;
  readonly to: string;
  /** What may be called: the callee's capabilities or tools, with a policy where the agent sets one. */
  readonly calls: readonly string[];
}

export function fleetGraph(fleet: Fleet): FleetGraph {
  const known = new Set(fleet.agents.map(({ id }) => id));
  const outside = [
    ...new Set(fleet.agents.flatMap(({ peers }) => peers).filter((id) => !known.has(id))),
  ].sort();
  const nodes: FleetNode[] = [
    ...fleet.agents.map(({ id }) => ({
      key: `agent:${id}`,
      kind: "agent" as const,
      id,
      manager: id === fleet.manager,
    })),
    ...outside.map((id) => ({ key: `agent:${id}`, kind: "outside agent" as const, id, manager: false })),
    ...fleet.toolCapabilities.map(({ manifest: { id } }) => ({
      key: `tool:${id}`,
      kind: "tool capability" as const,
      id,
      manager: false,
    })),
  ];
  return { name: fleet.name, nodes, edges: fleet.agents.flatMap((agent) => edgesFrom(fleet, agent)) };
}

function edgesFrom(fleet: Fleet, agent: FleetAgent): FleetEdge[] {
  const from = `agent:${agent.id}`;
  const toAgents = agent.peers.map((id) => {
    const peer = fleet.agents.find((one) => one.id === id);
    const calls = peer?.capabilities?.capabilities.map(({ name }) => name) ?? [];
    return { from, to: `agent:${id}`, calls };
  });
  const toTools = fleet.toolCapabilities.flatMap(({ manifest }) => {
    const whole = agent.tools.includes(manifest.id);
    const single = agent.tools.filter((tool) => tool.startsWith(`${manifest.id}__`));
    if (!whole && single.length === 0) return [];
    const all = manifest.tools.map(({ name }) => `${manifest.id}__${name}`);
    const names = whole ? all : single;
    const calls = names.map((qualified) => {
      const name = qualified.slice(manifest.id.length + 2);
      const recommended = manifest.tools.find((tool) => tool.name === name)?.recommendedPolicy;
      const policy = agent.policies.get(qualified) ?? recommended;
      return policy === undefined ? name : `${name} (${policy})`;
    });
    // A capability that says at run time which tools it has.
    if (whole && all.length === 0) calls.push("tools found at run time");
    return [{ from, to: `tool:${manifest.id}`, calls }];
  });
  return [...toAgents, ...toTools];
}
