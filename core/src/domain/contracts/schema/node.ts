import type { Membership } from "./equality.ts";
import type { Check } from "./evaluate/index.ts";
import type { FormatName } from "./formats.ts";
import type { Pattern } from "./pattern/index.ts";
import type { Json, SchemaType } from "./types.ts";

/**
 * A subschema after reading: checked, references resolved, and the dialects' different spellings of the same
 * thing (tuple items, dependencies, definitions) brought to one. Both engines work from this.
 */
export interface SchemaNode {
  /** Where it stands in the schema. */
  readonly path: string;
  /** The checks that its keywords ask for, once somebody has worked them out. */
  checks?: readonly Check[];
  /** A boolean schema. */
  always?: boolean;
  ref?: SchemaNode;
  types?: readonly SchemaType[];
  enum?: readonly Json[];
  /** Whether a value is one of `enum`. */
  isMember?: Membership;
  /** Wrapped, since `null` is a value like any other. */
  const?: { readonly value: Json };
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: Pattern;
  format?: FormatName;
  prefixItems?: SchemaNode[];
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  contains?: SchemaNode;
  minContains?: number;
  maxContains?: number;
  properties?: Map<string, SchemaNode>;
  patternProperties?: { readonly pattern: Pattern; readonly node: SchemaNode }[];
  additionalProperties?: SchemaNode;
  propertyNames?: SchemaNode;
  required?: readonly string[];
  minProperties?: number;
  maxProperties?: number;
  dependentRequired?: Map<string, readonly string[]>;
  dependentSchemas?: Map<string, SchemaNode>;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  not?: SchemaNode;
  if?: SchemaNode;
  then?: SchemaNode;
  else?: SchemaNode;
  unevaluatedItems?: SchemaNode;
  unevaluatedProperties?: SchemaNode;
}

/** Subschemas that look at the same value as their parent. */
export function* inPlace(node: SchemaNode): Iterable<SchemaNode> {
  if (node.ref) yield node.ref;
  for (const list of [node.allOf, node.anyOf, node.oneOf]) if (list) yield* list;
  for (const one of [node.not, node.if, node.then, node.else]) if (one) yield one;
  if (node.dependentSchemas) yield* node.dependentSchemas.values();
}

/** Subschemas that look at an item, a property or a property's name. */
export function* below(node: SchemaNode): Iterable<SchemaNode> {
  if (node.prefixItems) yield* node.prefixItems;
  if (node.properties) yield* node.properties.values();
  if (node.patternProperties) for (const entry of node.patternProperties) yield entry.node;
  for (const one of [
    node.items,
    node.contains,
    node.additionalProperties,
    node.propertyNames,
    node.unevaluatedItems,
    node.unevaluatedProperties,
  ]) {
    if (one) yield one;
  }
}
