import { describe, expect, it } from "vitest";
import type { Fleet } from "../types.ts";
import { fleetGraph, graphToDot, graphToSvg, graphToText } from "./index.ts";

const agent = (id: string, more: Partial<Fleet["agents"][number]> = {}): Fleet["agents"][number] => ({
  id,
  folder: `/f/agents/${id}`,
  description: "",
  tools: [],
  peers: [],
  policies: new Map(),
  skills: [],
  rpcPeers: [],
  ...more,
});
const capability = (id: string, tools: { name: string; recommendedPolicy: string }[]) =>
  ({
    manifest: { id, tools },
    folder: `/f/capabilities/${id}`,
    prompts: new Map(),
  }) as unknown as Fleet["toolCapabilities"][number];

const fleet: Fleet = {
  root: "/f",
  name: 'odd "name" & <more>',
  manager: "boss",
  agents: [
    agent("boss", {
      tools: ["search", "files__read"],
      peers: ["clerk", "outsider"],
      policies: new Map([["search__find", "allow"]]),
    }),
    agent("clerk", {
      peers: ["boss"],
      capabilities: { capabilities: [{ name: "file-it" }, { name: "find-it" }] } as unknown as NonNullable<
        Fleet["agents"][number]["capabilities"]
      >,
    }),
    agent("idle"),
  ],
  toolCapabilities: [
    capability("files", [
      { name: "read", recommendedPolicy: "ask" },
      { name: "write", recommendedPolicy: "block" },
    ]),
    capability("search", [{ name: "find", recommendedPolicy: "block" }]),
    capability("unused", []),
  ],
  rpcPeers: [],
  warnings: [],
};

describe("the graph of a fleet", () => {
  const graph = fleetGraph(fleet);

  it("has who may call whom, and what", () => {
    expect(graph.edges).toEqual([
      { from: "agent:boss", to: "agent:clerk", calls: ["file-it", "find-it"] },
      { from: "agent:boss", to: "agent:outsider", calls: [] },
      { from: "agent:boss", to: "tool:files", calls: ["read (ask)"] },
      { from: "agent:boss", to: "tool:search", calls: ["find (allow)"] },
      { from: "agent:clerk", to: "agent:boss", calls: [] },
    ]);
  });

  it("reads as text", () => {
    expect(graphToText(graph)).toBe(`fleet odd "name" & <more>

boss (manager)
  → agent clerk     file-it, find-it
  → agent outsider  declares no capability
  → tool  files     read (ask)
  → tool  search    find (allow)

clerk
  → agent boss      declares no capability

idle
  may call nobody

used by nobody: unused
`);
  });

  it("is well-formed for Graphviz", () => {
    const dot = graphToDot(graph);
    expect(dot).toContain('digraph "odd \\"name\\" & <more>" {');
    expect(dot).toContain('"agent:boss" -> "agent:clerk" [label="file-it\\nfind-it"];');
    expect(dot.endsWith("}\n")).toBe(true);
  });

  it("is the same picture every time, with every text escaped", () => {
    const svg = graphToSvg(graph);
    expect(graphToSvg(fleetGraph(fleet))).toBe(svg);
    expect(svg).toContain(
      "<title>Who may call whom in fleet odd &quot;name&quot; &amp; &lt;more&gt;</title>",
    );
    expect(svg.match(/<path d="M[^"]*C/g)).toHaveLength(5);
    expect(svg.match(/<g>/g)).toHaveLength(7);
    // Nothing but tags and text: no character that XML would stumble over.
    expect(
      svg.replace(/<\/?(?:svg|title|defs|marker|path|rect|g|text)(?: [a-zA-Z-]+="[^"<]*")*\/?>/g, ""),
    ).not.toMatch(/[<>]/);
    const nasty = graphToSvg({ ...graph, name: "\0\u001b]]></title><script>\ud800" });
    expect(nasty).not.toContain("<script>");
    for (const character of "\0\u001b\ud800") expect(nasty).not.toContain(character);
  });
});
