import type { SchemaDialect } from "./types.ts";

/** How each dialect names itself in `$schema`; a trailing empty fragment makes no difference. */
const addresses: Readonly<Record<string, "draft-07" | "2020-12">> = {
  "http://json-schema.org/draft-07/schema": "draft-07",
  "https://json-schema.org/draft-07/schema": "draft-07",
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft/2020-12/schema": "2020-12",
};

/**
 * The dialect a schema is read as: its own `$schema` decides between the drafts, and where it names none, or
 * names draft-07 in a place that takes only the subset, the place decides.
 */
export function dialectOf(address: unknown, byDefault: SchemaDialect): SchemaDialect | undefined {
  if (address === undefined) return byDefault;
  if (typeof address !== "string") return undefined;
  const named = addresses[address.endsWith("#") ? address.slice(0, -1) : address];
  if (named === "draft-07" && byDefault === "subset") return "subset";
  return named;
}

/** The same for a schema as written; one that names a dialect we do not know is what its place takes. */
export function dialectOfSchema(schema: unknown, byDefault: SchemaDialect): SchemaDialect {
  const isObject = typeof schema === "object" && schema !== null && Object.hasOwn(schema, "$schema");
  return dialectOf(isObject ? (schema as { $schema: unknown }).$schema : undefined, byDefault) ?? byDefault;
}

const subset = [
  "$schema",
  "$ref",
  "definitions",
  "title",
  "description",
  "default",
  "examples",
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "format",
];

const both = [
  ...subset,
  "$id",
  "$comment",
  "$defs",
  "multipleOf",
  "contains",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames",
  "if",
  "then",
  "else",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
];

/** Keywords with a meaning, per dialect. Outside the subset, others are annotations and are let be. */
export const keywords: Readonly<Record<SchemaDialect, ReadonlySet<string>>> = {
  subset: new Set(subset),
  "draft-07": new Set([...both, "additionalItems", "dependencies"]),
  "2020-12": new Set([
    ...both,
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "prefixItems",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "deprecated",
    "contentSchema",
  ]),
};
