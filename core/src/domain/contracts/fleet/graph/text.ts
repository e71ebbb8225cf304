import type { FleetGraph } from "./graph.ts";

/** The graph as a list to read: each agent, and under it what it may call. */
export function graphToText(graph: FleetGraph): string {
  const lines = [`fleet ${graph.name}`];
  const nodes = new Map(graph.nodes.map((node) => [node.key, node]));
  const width = Math.max(0, ...graph.nodes.map(({ id }) => id.length));
  for (const node of graph.nodes) {
    if (node.kind !== "agent") continue;
    lines.push("", `${node.id}${node.manager ? " (manager)" : ""}`);
    const edges = graph.edges.filter(({ from }) => from === node.key);
    if (edges.length === 0) lines.push("  may call nobody");
    for (const { to, calls } of edges) {
      const target = nodes.get(to);
      const what = target?.kind === "tool capability" ? "tool " : "agent";
      const list = calls.length > 0 ? calls.join(", ") : "declares no capability";
      lines.push(`  → ${what} ${(target?.id ?? to).padEnd(width)}  ${list}`.trimEnd());
    }
  }
  const used = new Set(graph.edges.map(({ to }) => to));
  const idle = graph.nodes.filter(({ key, kind }) => kind === "tool capability" && !used.has(key));
  if (idle.length > 0) lines.push("", `used by nobody: ${idle.map(({ id }) => id).join(", ")}`);
  return `${lines.join("\n")}\n`;
}
