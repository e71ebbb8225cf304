import { agentIdPattern } from "#domain/contracts/capabilities";
import { Fields, kindOf, type Position, type Problems, parseYaml } from "#domain/contracts/yaml";

export interface FleetFile {
  readonly name: string;
  readonly manager?: { readonly id: string; readonly at: Position };
}

/** Reads fleet.yaml: `version: 1`, `name`, and the `manager` that answers whoever names no agent. */
export function readFleetFile(text: string, problems: Problems): FleetFile | undefined {
  const value = parseYaml(text, problems);
  if (!value) return undefined;
  if (value.kind !== "map") {
    problems.error(value, `the file must be a map, not ${kindOf(value)}`);
    return undefined;
  }
  const fields = new Fields(value, problems);
  fields.version();
  fields.require("name");
  const name = fields.string("name", {
    pattern: /^(?=.*\S)\P{C}*$/u,
    must: "a name of printable characters",
    max: 100,
  });
  fields.string("description");
  const manager = fields.string("manager", { pattern: agentIdPattern, must: "the id of an agent" });
  fields.rest("error");
  if (name === undefined) return undefined;
  return { name, ...(manager === undefined ? {} : { manager: { id: manager, at: fields.at("manager") } }) };
}
