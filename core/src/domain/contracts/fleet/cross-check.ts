import { nearest, type Position, Problems, quote } from "#domain/contracts/yaml";
import type { FleetFiles } from "./files.ts";
import type { FleetFile } from "./fleet-file.ts";
import type { ReadAgent } from "./load.ts";
import { FLEET_FILE } from "./root.ts";
import type { FleetToolCapability, RpcPeer } from "./types.ts";

/** What one file alone cannot tell: whether everything that is named exists. */
export function crossCheck(
  files: FleetFiles,
  fleet: FleetFile,
  agents: readonly ReadAgent[],
  capabilities: readonly FleetToolCapability[],
  rpcPeers: readonly RpcPeer[],
  /** Folders whose files have problems of their own: what they would have declared is not known. */
  broken: { readonly agents: readonly string[]; readonly capabilities: readonly string[] },
): void {
  const agentIds = [...agents.map(({ agent }) => agent.id), ...broken.agents];
  if (fleet.manager && !agentIds.includes(fleet.manager.id)) {
    const problems = new Problems(FLEET_FILE);
    unknown(problems, fleet.manager.at, "manager", fleet.manager.id, agentIds);
    files.take(problems);
  }
  const tools = new Map(capabilities.map(({ manifest }) => [manifest.id, manifest]));
  for (const { agent, file, path } of agents) {
    const problems = new Problems(path);
    for (const { text, at } of file.tools) checkTool(text, at);
    for (const { text, at } of file.policies) checkPolicy(text, at);
    const reachable = [...agentIds, ...[...rpcPeers, ...agent.rpcPeers].map(({ agentId }) => agentId)];
    for (const { text, at } of file.peers) {
      if (text === agent.id) problems.error(at, `agent ${quote(text)} is its own peer`);
      else if (!reachable.includes(text)) unknown(problems, at, "peer", text, reachable);
    }
    files.take(problems);

    function checkTool(text: string, at: Position): void {
      const [id = "", tool] = split(text);
      const manifest = tools.get(id);
      if (broken.capabilities.includes(id)) return;
      if (!manifest) {
        unknown(problems, at, "capability", id, tools.keys());
      } else if (tool !== undefined && manifest.toolSource === "manifest") {
        const names = manifest.tools.map(({ name }) => name);
        if (!names.includes(tool)) unknown(problems, at, `tool of ${id}`, tool, names);
      }
    }

    function checkPolicy(text: string, at: Position): void {
      const [id = "", tool] = split(text);
      if (tool === undefined) {
        problems.error(at, `a policy is for one tool, named capability__tool, not ${quote(text)}`);
        return;
      }
      const before = problems.errors.length;
      checkTool(text, at);
      const used = file.tools.some((entry) => entry.text === id || entry.text === text);
      if (problems.errors.length === before && !used) {
        problems.warn(at, `agent ${agent.id} does not use ${text}, so this policy says nothing`);
      }
    }
  }
}

function split(text: string): [string, string | undefined] {
  const at = text.indexOf("__");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 2)];
}

function unknown(
  problems: Problems,
  at: Position,
  what: string,
  name: string,
  known: Iterable<string>,
): void {
  const names = [...known];
  const like = nearest(name, names);
  const hint = like
    ? `; did you mean ${quote(like)}?`
    : names.length > 0
      ? `; there is ${names.join(", ")}`
      : "";
  problems.error(at, `there is no ${what} ${quote(name)}${hint}`);
}
