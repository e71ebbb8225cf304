import {
  type Expression,
  type Json,
  parsePattern,
  type SchemaNode,
} from "#domain/contracts/schema/structure";
import { StoaError } from "#platform/errors";
import { listed, mapped, reachable, single } from "./children.ts";
import type { Plan, PlannedSchema } from "./plan.ts";

/**
 * A schema as the generated Python and Go check it: one flat table, each subschema under the name of its type
 * and its path, with the names of others where they are used. Patterns are translated for the language's own
 * linear-time engine; everything that only describes is left out.
 */
export interface Rules {
  readonly [name: string]: { readonly [keyword: string]: Json };
}

export function ruleName(schema: PlannedSchema, node: SchemaNode): string {
  return `${schema.name}${node.path}`;
}

export function rulesOf(plan: Plan, translate: (pattern: Expression) => string): Rules {
  const rules: Record<string, { [keyword: string]: Json }> = {};
  for (const { name, request, response } of plan.capabilities) {
    for (const schema of [request, response]) {
      // A schema that was not declared allows everything.
      if (!schema.graph) rules[schema.name] = {};
      for (const node of schema.graph ? reachable(schema.graph.root) : []) {
        if (node.unevaluatedItems ?? node.unevaluatedProperties) {
          throw new StoaError(
            "FILE_INVALID",
            `Capability "${name}" uses unevaluatedItems or unevaluatedProperties at ${node.path || "/"}; generated Python and Go cannot check them. Use additionalProperties, or generate TypeScript.`,
          );
        }
        rules[ruleName(schema, node)] = ruleOf(schema, node, translate);
      }
    }
  }
  return rules;
}

const copied = [
  "enum",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "format",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "required",
] as const;

function ruleOf(
  schema: PlannedSchema,
  node: SchemaNode,
  translate: (pattern: Expression) => string,
): { [keyword: string]: Json } {
  const rule: { [keyword: string]: Json } = {};
  const name = (of: SchemaNode) => ruleName(schema, of);
  const regex = (source: string) => translate(parsePattern(source).expression);
  if (node.always === false) rule.never = true;
  if (node.types) rule.type = node.types;
  // In a list, since Go takes a bare null for nothing at all.
  if (node.const) rule.const = [node.const.value];
  for (const key of copied) if (node[key] !== undefined) rule[key] = node[key];
  if (node.uniqueItems) rule.uniqueItems = true;
  if (node.pattern) {
    rule.pattern = node.pattern.source;
    rule.regex = regex(node.pattern.source);
  }
  for (const key of single) if (node[key]) rule[key] = name(node[key]);
  for (const key of listed) if (node[key]) rule[key] = node[key].map(name);
  // Lists of pairs, since a key such as __proto__ is nothing special in a list.
  for (const key of mapped) {
    if (node[key]) rule[key] = [...node[key]].map(([property, of]) => [property, name(of)]);
  }
  if (node.dependentRequired)
    rule.dependentRequired = [...node.dependentRequired].map(([key, keys]) => [key, keys]);
  if (node.patternProperties) {
    rule.patternProperties = node.patternProperties.map(({ pattern, node: of }) => [
      regex(pattern.source),
      name(of),
    ]);
  }
  return rule;
}
