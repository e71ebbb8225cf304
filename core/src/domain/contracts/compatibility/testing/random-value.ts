import type { Json, SchemaNode } from "#domain/contracts/schema/structure";
import { chance, one, type Pick } from "./pick.ts";
import { keys, values } from "./random-schema.ts";

const texts = [
  "",
  "a",
  "b",
  "ab",
  "abc",
  "abcd",
  "foo",
  "a foo b",
  "1",
  "x",
  "xyz",
  "größe",
  "Ö o",
  "\n",
  "😀😀",
  "a@b.c",
  "http://a/b",
  "2024-01-02T03:04:05Z",
  "123e4567-e89b-12d3-a456-426614174000",
  "//",
  "%",
];

/** A value that looks at the schema, so that it has a good chance to be valid, and no certainty. */
export function randomValue(pick: Pick, node: SchemaNode, depth = 4): Json {
  if (node.ref) return randomValue(pick, node.ref, depth);
  if (chance(pick, 8) || node.always !== undefined) return one(pick, values);
  if (node.const && chance(pick, 90)) return node.const.value;
  if (node.enum && chance(pick, 90)) return one(pick, node.enum);
  const inner = [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (inner.length > 0 && depth > 0 && chance(pick, 70))
    return randomValue(pick, one(pick, inner), depth - 1);
  const type = node.types ? one(pick, node.types) : guess(pick, node);
  switch (type) {
    case "null":
      return null;
    case "boolean":
      return chance(pick, 50);
    case "integer":
      return Math.trunc(near(pick, node));
    case "number":
      return near(pick, node) + (chance(pick, 30) ? 0.5 : 0);
    case "string":
      return one(pick, texts);
    case "array":
      return list(pick, node, depth);
    case "object":
      return object(pick, node, depth);
  }
}

function guess(pick: Pick, node: SchemaNode) {
  if (node.properties || node.required || node.additionalProperties) return "object";
  if (node.items || node.minItems || node.maxItems || node.uniqueItems) return "array";
  if (node.minLength || node.maxLength || node.pattern || node.format) return "string";
  return one(pick, ["null", "boolean", "integer", "number", "string", "array", "object"] as const);
}

function near(pick: Pick, node: SchemaNode): number {
  const bounds = [node.minimum, node.maximum, node.exclusiveMinimum, node.exclusiveMaximum, 0];
  return (
    one(
      pick,
      bounds.filter((bound) => bound !== undefined),
    ) +
    pick.below(5) -
    2
  );
}

function list(pick: Pick, node: SchemaNode, depth: number): Json {
  const length = Math.max(
    0,
    one(pick, [node.minItems ?? 0, node.maxItems ?? 2, 1, 2]) + (chance(pick, 20) ? 1 : 0),
  );
  const items = node.items ?? { path: "" };
  return depth > 0
    ? Array.from({ length: Math.min(length, 5) }, () => randomValue(pick, items, depth - 1))
    : [];
}

function object(pick: Pick, node: SchemaNode, depth: number): Json {
  const wanted = new Set(chance(pick, 90) ? node.required : []);
  for (const key of node.properties?.keys() ?? []) if (chance(pick, 60)) wanted.add(key);
  if (chance(pick, 25)) wanted.add(one(pick, keys));
  const entries = Array.from(wanted, (key) => {
    const of = node.properties?.get(key) ?? node.additionalProperties ?? { path: "" };
    return [key, depth > 0 ? randomValue(pick, of, depth - 1) : null] as const;
  });
  return Object.fromEntries(entries);
}
