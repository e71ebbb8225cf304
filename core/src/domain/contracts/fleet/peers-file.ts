import { agentIdPattern, parseTransport } from "#domain/contracts/capabilities";
import { Fields, kindOf, type Problems, parseYaml, plain, quote } from "#domain/contracts/yaml";
import type { RpcPeer, RpcPeerAuth } from "./types.ts";

/** Reads rpc-peers.yaml: agents outside the fleet, how to reach them, and how to show who is calling. */
export function readPeersFile(text: string, problems: Problems): RpcPeer[] {
  const value = parseYaml(text, problems);
  if (!value) return [];
  if (value.kind !== "map") {
    problems.error(value, `the file must be a map with a list of peers, not ${kindOf(value)}`);
    return [];
  }
  const fields = new Fields(value, problems);
  if (fields.has("version")) fields.version();
  fields.require("peers");
  const seen = new Set<string>();
  const peers = fields.eachFields("peers").flatMap((entry) => {
    const peer = readPeer(entry);
    if (!peer) return [];
    if (seen.has(peer.agentId))
      problems.error(entry.at("agent"), `peer ${quote(peer.agentId)} is listed twice`);
    seen.add(peer.agentId);
    return [peer];
  });
  fields.rest("error");
  return peers;
}

function readPeer(fields: Fields): RpcPeer | undefined {
  fields.require("agent");
  const agent = fields.string("agent", {
    pattern: new RegExp(`^agent://${agentIdPattern.source.slice(1)}`),
    must: "agent://<id>",
  });
  const transports = fields.eachFields("transports").flatMap((entry) => parseTransport(entry) ?? []);
  const auth = readAuth(fields);
  fields.rest("error");
  if (agent === undefined) return undefined;
  return { agentId: agent.slice("agent://".length), transports, ...(auth && { auth }) };
}

function readAuth(fields: Fields): RpcPeerAuth | undefined {
  const auth = fields.fields("auth");
  if (!auth) return undefined;
  auth.require("kind");
  const kind = auth.oneOf("kind", ["hmac", "oidc", "oauth2-client"]);
  if (kind === undefined) return undefined;
  if (kind !== "hmac") return { kind, settings: plain(auth.map) as Record<string, unknown> };
  for (const key of ["keyId", "secretRef"]) auth.require(key);
  const keyId = auth.string("keyId", { pattern: /\S/, must: "the id of a key" });
  const secretRef = auth.string("secretRef", {
    pattern: /\S/,
    must: "the name of a secret, never the secret itself",
  });
  auth.rest("error");
  return keyId === undefined || secretRef === undefined ? undefined : { kind, keyId, secretRef };
}
