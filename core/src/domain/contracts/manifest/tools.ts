import { type JsonObject, problemText, tryCompileSchema } from "#domain/contracts/schema";
import { type Fields, kindOf, plain, positionOf, quote } from "#domain/contracts/yaml";
import type { ManifestTool, Policy } from "./types.ts";

const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const policies = ["allow", "ask", "block"] as const;

/** The tools of a manifest, or those a discovery tool has listed. */
export function readTools(fields: Fields, key: string): ManifestTool[] {
  const seen = new Set<string>();
  return fields.eachFields(key).flatMap((entry) => {
    const tool = readTool(entry);
    if (!tool) return [];
    if (seen.has(tool.name))
      fields.problems.error(entry.at("name"), `tool ${quote(tool.name)} is declared twice`);
    seen.add(tool.name);
    return [tool];
  });
}

function readTool(fields: Fields): ManifestTool | undefined {
  for (const key of ["name", "description", "input_schema"]) fields.require(key);
  const name = fields.string("name", { pattern: toolName, must: "1 to 64 letters, digits, - and _" });
  const description = fields.string("description", { pattern: /\S/, must: "a text" });
  const schema = readInputSchema(fields);
  const requiresConfirmation = fields.boolean("requires_confirmation") ?? false;
  const recommended = fields.oneOf("recommended_policy", policies);
  const terminalOnSuccess = fields.boolean("terminal_on_success") ?? false;
  fields.rest("warning");
  if (name === undefined || description === undefined || schema === undefined) return undefined;
  const recommendedPolicy = recommended ?? derivedPolicy(requiresConfirmation);
  return { name, description, ...schema, recommendedPolicy, terminalOnSuccess };
}

/** Nothing runs by itself unless its author said so in as many words. */
function derivedPolicy(requiresConfirmation: boolean): Policy {
  return requiresConfirmation ? "ask" : "block";
}

function readInputSchema(fields: Fields): Pick<ManifestTool, "inputSchema" | "input"> | undefined {
  const value = fields.any("input_schema");
  if (!value) return undefined;
  if (value.kind !== "map") {
    fields.problems.error(value, `"input_schema" must be a JSON Schema object, not ${kindOf(value)}`);
    return undefined;
  }
  const inputSchema = plain(value) as JsonObject;
  const { validator, problems } = tryCompileSchema(inputSchema, { dialect: "draft-07" });
  for (const problem of problems) {
    const { line, column } = positionOf(value, problem.path);
    const path = problem.path === "/" ? value.path : value.path + problem.path;
    fields.problems.error({ line, column, path }, problemText(problem));
  }
  return validator && { inputSchema, input: validator };
}
