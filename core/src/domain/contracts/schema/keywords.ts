import { child } from "#domain/contracts/pointer";
import { membership } from "./equality.ts";
import { isFormatName } from "./formats.ts";
import type { SchemaNode } from "./node.ts";
import { isObject, kindOf, quote, type SchemaReader } from "./read.ts";
import type { Json, JsonObject, SchemaType } from "./types.ts";

interface Place {
  readonly reader: SchemaReader;
  readonly node: SchemaNode;
  readonly value: Json;
  /** Path of the keyword. */
  readonly at: string;
  /** The schema it stands in. */
  readonly schema: JsonObject;
}
type Reader = (place: Place) => void;

type NumberKey = "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum";
type CountKey =
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems"
  | "minProperties"
  | "maxProperties"
  | "minContains"
  | "maxContains";
type SchemaKey =
  | "additionalProperties"
  | "propertyNames"
  | "contains"
  | "not"
  | "if"
  | "then"
  | "else"
  | "unevaluatedItems"
  | "unevaluatedProperties";

const types: readonly string[] = ["object", "array", "string", "integer", "number", "boolean", "null"];

/** What each keyword's value must be, and what it adds to the node. */
export const readers: Readonly<Record<string, Reader>> = {
  $ref: reference,
  $dynamicRef: reference,
  $id: identifier,
  $anchor: anchor,
  $dynamicAnchor: anchor,
  $schema: dialectName,
  $vocabulary: ({ reader, at }) => reader.problem(at, "$vocabulary is for meta-schemas and is not supported"),
  $comment: text,
  $defs: definitions,
  definitions,
  title: text,
  description: text,
  examples: ({ reader, value, at }) => void list(reader, value, at),

  type: readType,
  enum: readEnum,
  const: ({ node, value }) => {
    node.const = { value };
  },
  minimum: number("minimum"),
  maximum: number("maximum"),
  exclusiveMinimum: number("exclusiveMinimum"),
  exclusiveMaximum: number("exclusiveMaximum"),
  multipleOf: ({ reader, node, value, at }) => {
    if (typeof value === "number" && value > 0) node.multipleOf = value;
    else reader.problem(at, `must be a number above 0, not ${quote(value)}`);
  },
  minLength: count("minLength"),
  maxLength: count("maxLength"),
  minItems: count("minItems"),
  maxItems: count("maxItems"),
  minProperties: count("minProperties"),
  maxProperties: count("maxProperties"),
  minContains: count("minContains"),
  maxContains: count("maxContains"),
  uniqueItems: ({ reader, node, value, at }) => {
    if (typeof value === "boolean") node.uniqueItems = value;
    else reader.problem(at, `must be a boolean, not ${quote(value)}`);
  },
  pattern: ({ reader, node, value, at }) => {
    const pattern = typeof value === "string" ? reader.pattern(value, at) : undefined;
    if (pattern) node.pattern = pattern;
    else if (typeof value !== "string") reader.problem(at, `must be a string, not ${kindOf(value)}`);
  },
  format: readFormat,

  properties: ({ reader, node, value, at }) => {
    node.properties = schemaMap(reader, value, at);
  },
  patternProperties: ({ reader, node, value, at }) => {
    node.patternProperties = [];
    for (const [source, entry] of schemaMap(reader, value, at)) {
      const pattern = reader.pattern(source, child(at, source));
      if (pattern) node.patternProperties.push({ pattern, node: entry });
    }
  },
  additionalProperties: ({ reader, node, value, at }) => {
    // The one place where the subset, too, takes a boolean.
    if (typeof value === "boolean") node.additionalProperties = { path: at, always: value };
    else node.additionalProperties = reader.schema(value, at);
  },
  propertyNames: schema("propertyNames"),
  required: ({ reader, node, value, at }) => {
    node.required = names(reader, value, at);
  },
  dependentRequired: ({ reader, node, value, at }) => {
    node.dependentRequired = new Map();
    for (const [key, list] of entries(reader, value, at)) {
      node.dependentRequired.set(key, names(reader, list, child(at, key)));
    }
  },
  dependentSchemas: ({ reader, node, value, at }) => {
    node.dependentSchemas = schemaMap(reader, value, at);
  },
  dependencies: ({ reader, node, value, at }) => {
    node.dependentRequired = new Map();
    node.dependentSchemas = new Map();
    for (const [key, entry] of entries(reader, value, at)) {
      const path = child(at, key);
      if (Array.isArray(entry)) node.dependentRequired.set(key, names(reader, entry, path));
      else node.dependentSchemas.set(key, reader.schema(entry, path));
    }
  },

  items: readItems,
  additionalItems: ({ reader, node, value, at, schema }) => {
    const rest = reader.schema(value, at);
    if (Array.isArray(schema.items)) node.items = rest;
  },
  prefixItems: ({ reader, node, value, at }) => {
    node.prefixItems = schemaList(reader, value, at);
  },
  contains: schema("contains"),
  unevaluatedItems: schema("unevaluatedItems"),
  unevaluatedProperties: schema("unevaluatedProperties"),

  allOf: ({ reader, node, value, at }) => {
    node.allOf = schemaList(reader, value, at);
  },
  anyOf: ({ reader, node, value, at }) => {
    node.anyOf = schemaList(reader, value, at);
  },
  oneOf: ({ reader, node, value, at }) => {
    node.oneOf = schemaList(reader, value, at);
  },
  not: schema("not"),
  if: schema("if"),
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword, and nobody awaits this table.
  then: schema("then"),
  else: schema("else"),
  contentSchema: ({ reader, value, at }) => void reader.schema(value, at),
};

function reference({ reader, node, value, at }: Place): void {
  if (typeof value === "string") reader.ref(node, value, at);
  else reader.problem(at, `must be a string, not ${kindOf(value)}`);
}

/** An `$id` at the root names the document, which changes nothing. One below would change what `$ref`s mean. */
function identifier({ reader, value, at }: Place): void {
  if (typeof value !== "string") reader.problem(at, `must be a string, not ${kindOf(value)}`);
  else if (at !== "/$id") reader.problem(at, "$id is allowed at the root only");
  else if (/#./.test(value)) reader.problem(at, "$id must not have a fragment");
  else reader.id = value.replace(/#$/, "");
}

function anchor({ reader, node, value, at }: Place): void {
  if (typeof value !== "string" || !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(value)) {
    reader.problem(at, `must be a name, not ${quote(value)}`);
  } else if (reader.anchors.has(value) && reader.anchors.get(value) !== node) {
    reader.problem(at, `the name ${quote(value)} is given twice`);
  } else {
    reader.anchors.set(value, node);
  }
}

function dialectName({ reader, at }: Place): void {
  if (at !== "/$schema") reader.problem(at, "$schema is allowed at the root only");
}

function text({ reader, value, at }: Place): void {
  if (typeof value !== "string") reader.problem(at, `must be a string, not ${kindOf(value)}`);
}

function definitions({ reader, value, at }: Place): void {
  schemaMap(reader, value, at);
}

function readType({ reader, node, value, at }: Place): void {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (list.length === 0) reader.problem(at, "must name at least one type");
  for (const [i, type] of list.entries()) {
    const path = Array.isArray(value) ? child(at, i) : at;
    if (typeof type !== "string" || !types.includes(type)) {
      reader.problem(path, `unknown type ${quote(type)}: a type is one of ${types.join(", ")}`);
    } else if (list.indexOf(type) !== i) {
      reader.problem(path, `type ${quote(type)} is listed twice`);
    }
  }
  node.types = list as readonly SchemaType[];
}

function readEnum({ reader, node, value, at }: Place): void {
  const values = list(reader, value, at);
  // The drafts allow it, and then nothing is valid: in a capability that can only be a mistake.
  if (values.length === 0 && Array.isArray(value) && reader.dialect === "subset") {
    reader.problem(at, "must have at least one value");
  }
  reader.count("enumEntries", "enum values", values.length);
  node.enum = values;
  node.isMember = membership(values);
}

function readFormat({ reader, node, value, at }: Place): void {
  if (typeof value !== "string") {
    reader.problem(at, `must be a string, not ${kindOf(value)}`);
    return;
  }
  // In the full drafts a format is an annotation. In the subset it is a promise, so it must be one we keep.
  if (reader.dialect !== "subset") return;
  if (isFormatName(value)) node.format = value;
  else
    reader.problem(
      at,
      `unknown format ${quote(value)}: it can be uuid, email, uri, uri-reference, date-time`,
    );
}

function readItems({ reader, node, value, at }: Place): void {
  if (!Array.isArray(value)) {
    node.items = reader.schema(value, at);
  } else if (reader.dialect === "subset") {
    reader.problem(at, "items as a list (tuple form) is not supported: give one schema for all items");
  } else if (reader.dialect === "2020-12") {
    reader.problem(at, "items must be one schema: a list is called prefixItems in 2020-12");
  } else {
    node.prefixItems = schemaList(reader, value, at, true);
  }
}

function number(key: NumberKey): Reader {
  return ({ reader, node, value, at }) => {
    if (typeof value === "number") node[key] = value;
    else reader.problem(at, `must be a number, not ${quote(value)}`);
  };
}

function count(key: CountKey): Reader {
  return ({ reader, node, value, at }) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) node[key] = value;
    else reader.problem(at, `must be a whole number, 0 or more, not ${quote(value)}`);
  };
}

function schema(key: SchemaKey): Reader {
  return ({ reader, node, value, at }) => {
    node[key] = reader.schema(value, at);
  };
}

function list(reader: SchemaReader, value: Json, at: string): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  reader.problem(at, `must be a list, not ${kindOf(value)}`);
  return [];
}

function schemaList(reader: SchemaReader, value: Json, at: string, mayBeEmpty = false): SchemaNode[] {
  const values = list(reader, value, at);
  if (values.length === 0 && !mayBeEmpty && Array.isArray(value)) {
    reader.problem(at, "must have at least one schema");
  }
  return values.map((item, i) => reader.schema(item, child(at, i)));
}

function entries(reader: SchemaReader, value: Json, at: string): [string, Json][] {
  if (isObject(value)) {
    const result = Object.entries(value);
    reader.count("properties", "properties", result.length);
    return result;
  }
  reader.problem(at, `must be an object, not ${kindOf(value)}`);
  return [];
}

function schemaMap(reader: SchemaReader, value: Json, at: string): Map<string, SchemaNode> {
  return new Map(
    entries(reader, value, at).map(([key, entry]) => [key, reader.schema(entry, child(at, key))]),
  );
}

function names(reader: SchemaReader, value: Json, at: string): readonly string[] {
  const seen = new Set<string>();
  for (const [i, name] of list(reader, value, at).entries()) {
    if (typeof name !== "string") reader.problem(child(at, i), `must be a string, not ${kindOf(name)}`);
    else if (seen.has(name)) reader.problem(child(at, i), `${quote(name)} is listed twice`);
    else seen.add(name);
  }
  reader.count("properties", "properties", seen.size);
  return [...seen];
}
