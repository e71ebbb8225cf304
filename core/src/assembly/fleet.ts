import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { NativeAgent } from "#domain/agents";
import type { CapabilityCatalogue } from "#domain/capabilities";
import { type Fleet, type FleetAgent, loadFleet } from "#domain/contracts/fleet";
import { fileProblemText } from "#domain/contracts/yaml";
import type { Config } from "#platform/config";
import type { Logger } from "#platform/log";

const demo = fileURLToPath(new URL("../../../examples/demo", import.meta.url));

/** The fleet of the configuration, or the demo where none is set and it was not switched off. */
export async function loadConfiguredFleet(config: Config, log: Logger): Promise<Fleet | undefined> {
  const root = config.fleet ?? (config.demo && existsSync(demo) ? demo : undefined);
  if (root === undefined) return undefined;
  const fleet = await loadFleet(root);
  for (const warning of fleet.warnings) log.warn(fileProblemText(warning));
  return fleet;
}

export function nativeAgents(fleet: Fleet, catalogue: CapabilityCatalogue): NativeAgent[] {
  return fleet.agents.map((agent) => ({
    kind: "native",
    id: agent.id,
    name: agent.id,
    description: agent.description,
    prompt: promptOf(agent, fleet),
    tools: agent.tools.flatMap(
      (name) => catalogue.get(name)?.tools.map((tool) => tool.qualifiedName) ?? [name],
    ),
    peers: agent.peers,
    policies: agent.policies,
  }));
}

/** The agent's own prompt, and what the capabilities it uses have to say to a model. */
function promptOf(agent: FleetAgent, fleet: Fleet): string {
  const used = new Set(agent.tools.map((name) => name.split("__")[0]));
  const advice = fleet.toolCapabilities
    .filter(({ manifest }) => used.has(manifest.id))
    .map(({ prompts }) => prompts.get(""));
  return [agent.prompt, ...advice].filter((text) => text !== undefined && text !== "").join("\n\n");
}
