import { equals, isScalar, type Spend } from "../equality.ts";
import { isMultiple } from "../evaluate/index.ts";
import { setOwn } from "../json.ts";
import type { SchemaNode } from "../node.ts";
import { flatWeight } from "./plan.ts";

/** A schema as Ajv is given it: only its own keywords that are known to be right, and ours for the others. */
export type AjvDocument = boolean | { [keyword: string]: unknown };

/** Listing the keys of a large object costs far more than a check. */
const KEY_STEPS = 8;
/** Values that are worth a lookup instead of a chain of comparisons. */
const MANY = 32;

export interface DocumentOptions {
  readonly counted: boolean;
  /** The number of a reference's target, which is compiled by itself. Only where steps are counted. */
  readonly targetOf: (node: SchemaNode) => number;
  /** Takes steps from the budget of the value at hand. */
  readonly spend: Spend;
}

export function toDocument(node: SchemaNode, options: DocumentOptions): AjvDocument {
  if (node.always !== undefined) return node.always;
  const doc: { [keyword: string]: unknown } = {};
  const set = (keyword: string, value: unknown) => {
    if (value !== undefined) doc[keyword] = value;
  };
  const convert = (one: SchemaNode | undefined) => (one ? toDocument(one, options) : undefined);
  const convertAll = (list: readonly SchemaNode[] | undefined) =>
    list?.map((one) => toDocument(one, options));

  if (node.types) doc.type = node.types.length === 1 ? node.types[0] : [...node.types];
  scalarKeywords(node, doc, set, options);
  if (isAboutObjects(node)) doc.stoaPlain = true;
  arrayKeywords(node, set, convert, convertAll);
  objectKeywords(node, doc, options);
  set("propertyNames", convert(node.propertyNames));
  set("additionalProperties", convert(node.additionalProperties));
  const all = convertAll(node.allOf) ?? [];
  if (node.ref) {
    // Without counting there are few ways through the schema, so references are simply written out.
    if (options.counted) doc.stoaRef = options.targetOf(node.ref);
    else all.push(toDocument(node.ref, options));
  }
  for (const [key, names] of node.dependentRequired ?? []) all.push({ dependencies: own(key, [...names]) });
  for (const [key, one] of node.dependentSchemas ?? []) {
    all.push({ stoaPlain: true, dependencies: own(key, toDocument(one, options)) });
  }
  if (all.length > 0) doc.allOf = all;
  set("anyOf", convertAll(node.anyOf));
  set("oneOf", convertAll(node.oneOf));
  set("not", convert(node.not));
  if (node.if) {
    set("if", convert(node.if));
    set("then", convert(node.then));
    set("else", convert(node.else));
  }
  if (options.counted) countingKeywords(node, doc);
  return doc;
}

type Assign = (keyword: string, value: unknown) => void;

function scalarKeywords(
  node: SchemaNode,
  doc: { [keyword: string]: unknown },
  set: Assign,
  options: DocumentOptions,
): void {
  const checks: ((value: unknown) => boolean)[] = [];
  if (node.const) {
    const { value } = node.const;
    if (isScalar(value)) doc.const = value;
    else checks.push((found) => equals(found, value, options.spend));
  }
  if (node.enum) {
    if (node.enum.length > 0 && node.enum.length <= MANY && node.enum.every(isScalar))
      doc.enum = [...node.enum];
    else checks.push((found) => node.isMember?.(found, options.spend) ?? false);
  }
  if (checks.length > 0) doc.stoaValue = (found: unknown) => checks.every((check) => check(found));
  set("minimum", node.minimum);
  set("maximum", node.maximum);
  set("exclusiveMinimum", node.exclusiveMinimum);
  set("exclusiveMaximum", node.exclusiveMaximum);
  const { multipleOf } = node;
  if (multipleOf !== undefined) doc.stoaMultiple = (found: number) => isMultiple(found, multipleOf);
  set("minLength", node.minLength);
  set("maxLength", node.maxLength);
  set("pattern", node.pattern?.source);
  set("format", node.format);
}

function arrayKeywords(
  node: SchemaNode,
  set: Assign,
  convert: (one: SchemaNode | undefined) => AjvDocument | undefined,
  convertAll: (list: readonly SchemaNode[] | undefined) => AjvDocument[] | undefined,
): void {
  set("minItems", node.minItems);
  set("maxItems", node.maxItems);
  if (node.uniqueItems) set("stoaUnique", true);
  if (node.prefixItems && node.prefixItems.length > 0) {
    set("items", convertAll(node.prefixItems));
    set("additionalItems", convert(node.items));
  } else {
    set("items", convert(node.items));
  }
  if (node.contains) {
    set("contains", convert(node.contains));
    set("minContains", node.minContains);
    set("maxContains", node.maxContains);
  }
}

function objectKeywords(
  node: SchemaNode,
  doc: { [keyword: string]: unknown },
  options: DocumentOptions,
): void {
  if (node.required && node.required.length > 0) doc.required = [...node.required];
  if (node.minProperties !== undefined) doc.minProperties = node.minProperties;
  if (node.maxProperties !== undefined) doc.maxProperties = node.maxProperties;
  if (node.properties) doc.properties = documents(node.properties, options);
  if (node.patternProperties) {
    const bySource = node.patternProperties.map(({ pattern, node: one }) => [pattern.source, one] as const);
    doc.patternProperties = documents(bySource, options);
  }
}

function documents(nodes: Iterable<readonly [string, SchemaNode]>, options: DocumentOptions): object {
  const result: { [key: string]: AjvDocument } = {};
  for (const [key, node] of nodes) setOwn(result, key, toDocument(node, options));
  return result;
}

function isAboutObjects(node: SchemaNode): boolean {
  return (
    node.required !== undefined ||
    node.properties !== undefined ||
    node.patternProperties !== undefined ||
    node.additionalProperties !== undefined ||
    node.propertyNames !== undefined ||
    node.minProperties !== undefined ||
    node.maxProperties !== undefined ||
    node.dependentRequired !== undefined
  );
}

/** What loops over a value is charged by the value's length, at the start of the loop. */
function countingKeywords(node: SchemaNode, doc: { [keyword: string]: unknown }): void {
  const items = [node.items, node.contains].filter((one) => one !== undefined);
  if (items.length > 0) doc.stoaItems = sumOf(items);
  const { additionalProperties, propertyNames, patternProperties = [] } = node;
  const properties = [additionalProperties, propertyNames, ...patternProperties.map(({ node: one }) => one)];
  const looped = properties.filter((one) => one !== undefined && one.always !== true);
  if (looped.length > 0 || node.minProperties !== undefined || node.maxProperties !== undefined) {
    doc.stoaKeys = KEY_STEPS + sumOf(looped.filter((one) => one !== undefined));
  }
}

function sumOf(nodes: readonly SchemaNode[]): number {
  return nodes.reduce((sum, node) => sum + flatWeight(node), 0);
}

function own(key: string, value: unknown): object {
  const result: { [key: string]: unknown } = {};
  setOwn(result, key, value);
  return result;
}
