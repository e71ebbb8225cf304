import type { AgentsTable } from "#platform/store";
import type { RegisteredAgent, Skill } from "../agent.ts";
import type { AgentConfig } from "./agent-config.ts";

export function fromRow(row: AgentsTable): RegisteredAgent {
  const config = JSON.parse(row.config_json) as { description?: unknown };
  return {
    kind: "registered",
    id: row.id,
    name: row.name,
    description: typeof config.description === "string" ? config.description : "",
    author: row.author ?? "",
    workspaceId: row.workspace_id ?? "default",
    owner: row.owner,
    callbackAddress: row.callback_address ?? "",
    did: row.did ?? "",
    url: row.url ?? "",
    skills: JSON.parse(row.skills_json) as Skill[],
    status: row.status === "stale" ? "stale" : "active",
  };
}

export function deploymentUrlOf(row: AgentsTable): string {
  return (JSON.parse(row.config_json) as AgentConfig).deployment.url;
}
