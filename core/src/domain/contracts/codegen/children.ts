import type { SchemaNode } from "#domain/contracts/schema/structure";

export const single = [
  "ref",
  "not",
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "if",
  "then",
  "else",
] as const;
export const listed = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
export const mapped = ["properties", "dependentSchemas"] as const;

/** The subschemas that one leads to in one step. */
export function* children(node: SchemaNode): Iterable<SchemaNode> {
  for (const key of single) if (node[key]) yield node[key];
  for (const key of listed) if (node[key]) yield* node[key];
  for (const key of mapped) if (node[key]) yield* node[key].values();
  for (const entry of node.patternProperties ?? []) yield entry.node;
}

/** A subschema and all that it leads to, each once. */
export function* reachable(from: SchemaNode): Iterable<SchemaNode> {
  const seen = new Set([from]);
  for (const node of seen) {
    yield node;
    for (const next of children(node)) seen.add(next);
  }
}

/** Whether a subschema can come back to itself. */
export function isRecursive(node: SchemaNode): boolean {
  for (const each of reachable(node)) {
    for (const next of children(each)) if (next === node) return true;
  }
  return false;
}
