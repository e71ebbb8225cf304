import { agentIdPattern } from "#domain/contracts/capabilities";
import type { Policy } from "#domain/contracts/manifest";
import { Fields, kindOf, type Position, type Problems, parseYaml, quote } from "#domain/contracts/yaml";

/** What agent.yaml says. Names keep their places, to be checked once the whole fleet is known. */
export interface AgentFile {
  readonly description: string;
  readonly model?: string;
  readonly prompt?: string;
  readonly tools: readonly Placed[];
  readonly peers: readonly Placed[];
  readonly policies: readonly (Placed & { readonly policy: Policy })[];
}

export interface Placed {
  readonly text: string;
  readonly at: Position;
}

const toolPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:__[A-Za-z0-9_-]{1,64})?$/;

export function readAgentFile(text: string, id: string, problems: Problems): AgentFile | undefined {
  const value = parseYaml(text, problems);
  if (!value) return undefined;
  if (value.kind !== "map") {
    problems.error(value, `the file must be a map, not ${kindOf(value)}`);
    return undefined;
  }
  const fields = new Fields(value, problems);
  fields.require("name");
  const name = fields.string("name");
  if (name !== undefined && name !== id) {
    problems.error(
      fields.at("name"),
      `"name" is ${quote(name)}, but the folder is agents/${id}; they must agree`,
    );
  }
  const description = fields.string("description") ?? "";
  const model = fields.string("model", { pattern: /\S/, must: "the name of a model", max: 200 });
  const prompt = fields.string("prompt", { max: 200_000 });
  const tools = fields.strings("capabilities", {
    pattern: toolPattern,
    must: "the id of a tool capability, or one tool as capability__tool",
  });
  const peers = fields.strings("peers", {
    pattern: new RegExp(`^(?:agent://)?${agentIdPattern.source.slice(1)}`),
    must: "the id of an agent",
  });
  const policies = readPolicies(fields);
  fields.rest("error");
  return {
    description,
    ...(model === undefined ? {} : { model }),
    ...(prompt === undefined ? {} : { prompt }),
    tools,
    peers: peers.map((peer) => ({ ...peer, text: peer.text.replace(/^agent:\/\//, "") })),
    policies,
  };
}

function readPolicies(fields: Fields): AgentFile["policies"] {
  const policies = fields.fields("policies");
  if (!policies) return [];
  return [...policies.map.entries.keys()].flatMap((text) => {
    const policy = policies.oneOf(text, ["allow", "ask", "block"]);
    return policy === undefined ? [] : [{ text, at: policies.at(text), policy }];
  });
}
