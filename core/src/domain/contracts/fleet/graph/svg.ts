import type { FleetEdge, FleetGraph, FleetNode } from "./graph.ts";

const ROW = 64;
const BOX = { height: 32, perCharacter: 7.5, padding: 24 };
const MARGIN = 24;
/** Room on the left for the arcs between agents, which grow wider with the distance they span. */
const ARC = { perRow: 14, most: 140 };
const GAP = 180;

interface Placed {
  readonly node: FleetNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/**
 * The graph as a picture: agents in a column with arcs from caller to callee, tool capabilities in a second
 * one. The same fleet gives the same bytes, and nothing in it is fetched from anywhere.
 */
export function graphToSvg(graph: FleetGraph): string {
  const agents = graph.nodes.filter(({ kind }) => kind !== "tool capability");
  const tools = inOrderOfUse(graph);
  const left = MARGIN + Math.min(ARC.most, agents.length * ARC.perRow) + 10;
  const agentWidth = widest(agents);
  const placed = new Map<string, Placed>([
    ...column(agents, left, agentWidth),
    ...column(tools, left + agentWidth + GAP, widest(tools)),
  ]);
  const width = Math.ceil(left + agentWidth + (tools.length > 0 ? GAP + widest(tools) : 0) + MARGIN);
  const height = MARGIN * 2 + Math.max(1, agents.length, tools.length) * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(`Who may call whom in fleet ${graph.name}`)}</title>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#556"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...graph.edges.map((edge) => drawEdge(edge, placed)),
    ...[...placed.values()].map(drawNode),
    "</svg>",
    "",
  ].join("\n");
}

/** Tool capabilities beside the first agent that uses them, so that fewer lines cross. */
function inOrderOfUse({ nodes, edges }: FleetGraph): FleetNode[] {
  const firstUse = (key: string) => {
    const index = edges.findIndex(({ to }) => to === key);
    return index < 0 ? edges.length : index;
  };
  const tools = nodes.filter(({ kind }) => kind === "tool capability");
  return tools.toSorted((a, b) => firstUse(a.key) - firstUse(b.key));
}

function widest(nodes: readonly FleetNode[]): number {
  const longest = nodes.reduce((most, { id }) => Math.max(most, [...shorten(id)].length), 4);
  return Math.round(longest * BOX.perCharacter + BOX.padding);
}

function column(nodes: readonly FleetNode[], x: number, width: number): [string, Placed][] {
  return nodes.map((node, row) => [node.key, { node, x, y: MARGIN + row * ROW + ROW / 2, width }]);
}

function drawNode({ node, x, y, width }: Placed): string {
  const isTool = node.kind === "tool capability";
  const style = [
    `fill="${isTool ? "#eef7ee" : "#eef2fb"}"`,
    `stroke="${isTool ? "#4a7a4a" : "#4a5a8a"}"`,
    `stroke-width="${node.manager ? 2.5 : 1.2}"`,
    ...(node.kind === "outside agent" ? ['stroke-dasharray="5 3"'] : []),
  ].join(" ");
  const note = node.manager ? ", manager" : "";
  return [
    `<g><title>${escapeXml(`${node.kind} ${node.id}${note}`)}</title>`,
    `<rect x="${x}" y="${y - BOX.height / 2}" width="${width}" height="${BOX.height}" rx="${isTool ? 3 : 10}" ${style}/>`,
    `<text x="${x + width / 2}" y="${y + 4}" text-anchor="middle" fill="#223">${escapeXml(shorten(node.id))}</text></g>`,
  ].join("");
}

function drawEdge({ from, to, calls }: FleetEdge, placed: ReadonlyMap<string, Placed>): string {
  const [a, b] = [placed.get(from), placed.get(to)];
  if (!a || !b) return "";
  const title = `<title>${escapeXml(`${a.node.id} → ${b.node.id}: ${calls.join(", ") || "nothing declared"}`)}</title>`;
  const stroke = 'fill="none" stroke="#556" stroke-width="1.2" marker-end="url(#tip)"';
  if (b.node.kind === "tool capability") {
    const [start, end] = [a.x + a.width, b.x];
    const bend = (end - start) / 2;
    return `<path d="M${start} ${a.y}C${start + bend} ${a.y} ${end - bend} ${b.y} ${end} ${b.y}" ${stroke}>${title}</path>`;
  }
  // Callers leave a little below the middle and callees are met a little above, so that both directions show.
  const reach = Math.min(ARC.most, ((Math.abs(b.y - a.y) / ROW) * ARC.perRow + 20) | 0);
  return `<path d="M${a.x} ${a.y + 6}C${a.x - reach} ${a.y + 6} ${b.x - reach} ${b.y - 6} ${b.x} ${b.y - 6}" ${stroke}>${title}</path>`;
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > 40 ? `${characters.slice(0, 39).join("")}…` : text;
}

/** Text in XML: the characters that mean something are escaped, those that XML cannot hold are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
