import type { FleetGraph, FleetNode } from "./graph.ts";

/** The graph in Graphviz's language. */
export function graphToDot(graph: FleetGraph): string {
  const lines = [
    `digraph ${quoted(graph.name)} {`,
    "  rankdir=LR;",
    '  node [fontname="sans-serif", fontsize=11];',
    '  edge [fontname="sans-serif", fontsize=9];',
  ];
  for (const node of graph.nodes) {
    lines.push(`  ${quoted(node.key)} [label=${quoted(node.id)}, ${styleOf(node)}];`);
  }
  for (const { from, to, calls } of graph.edges) {
    lines.push(`  ${quoted(from)} -> ${quoted(to)} [label=${quoted(calls.join("\n"))}];`);
  }
  return `${lines.join("\n")}\n}\n`;
}

function styleOf({ kind, manager }: FleetNode): string {
  if (kind === "tool capability") return "shape=component";
  if (kind === "outside agent") return 'shape=box, style="rounded,dashed"';
  return `shape=box, style="rounded${manager ? ",bold" : ""}"`;
}

/** In quotes, only the quote and the backslash mean something; a line end is written as one. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
