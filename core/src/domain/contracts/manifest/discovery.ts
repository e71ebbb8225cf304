import { Fields, fromPlain, kindOf, Problems } from "#domain/contracts/yaml";
import { readTools } from "./tools.ts";
import type { ManifestTool } from "./types.ts";

/**
 * What a discovery tool answered: a list of tools, or `{tools: [...]}`.
 * @throws StoaError FILE_INVALID with every problem, so that the caller can keep the last good list.
 */
export function parseDiscoveredTools(result: unknown, source: string): ManifestTool[] {
  const problems = new Problems(source);
  const value = fromPlain(Array.isArray(result) ? { tools: result } : result, problems);
  let tools: ManifestTool[] = [];
  if (value && value.kind !== "map") {
    problems.error(value, `the answer must be a list of tools, not ${kindOf(value)}`);
  } else if (value) {
    const fields = new Fields(value, problems);
    fields.require("tools");
    tools = readTools(fields, "tools");
  }
  problems.throwIfAny();
  return tools;
}
