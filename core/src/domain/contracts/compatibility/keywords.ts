/** Keywords that describe a value and ask nothing of it. */
export const annotations = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "$id",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
/** Keywords whose value is a schema, a map of schemas, a list of schemas. */
export const single = new Set([
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
export const mapped = new Set([
  "properties",
  "definitions",
  "$defs",
  "patternProperties",
  "dependentSchemas",
]);
export const listed = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
