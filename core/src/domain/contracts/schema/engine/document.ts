import { equals, isScalar, type Spend } from "../equality.ts";
import { isMultiple } from "../evaluate/index.ts";
import { setOwn } from "../json.ts";
import type { SchemaNode } from "../node.ts";
import type { Budget } from "./budget.ts";
import { flatWeight } from "./plan.ts";
import { allDifferent } from "./unique.ts";

/** A schema as Ajv is given it: only its own keywords that are known to be right, and ours for the others. */
export type AjvDocument = boolean | { [keyword: string]: unknown };

/** Listing the keys of a large object costs far more than a check. */
const KEY_STEPS = 8;
/** Values that are worth a lookup instead of a chain of comparisons. */
const MANY = 32;

export interface DocumentOptions {
  /** Whether loops over a value are charged by its length. */
  readonly counted: boolean;
  /** Whether references are written out. */
  readonly inlined: boolean;
  /** The number of a reference's target, which is then compiled by itself. */
  readonly targetOf: (node: SchemaNode) => number;
  /** What may be spent on the value at hand. */
  readonly budget: Budget;
}

export function toDocument(node: SchemaNode, options: DocumentOptions): AjvDocument {
  if (node.always !== undefined) return node.always;
  const doc: { [keyword: string]: unknown } = {};
  const set = (keyword: string, value: unknown) => {
    if (value !== undefined) doc[keyword] = value;
  };
  if (node.types) doc.type = node.types.length === 1 ? node.types[0] : [...node.types];
  scalarKeywords(node, doc, set, options);
  if (isAboutObjects(node)) doc.stoaPlain = true;
  arrayKeywords(node, set, options);
  objectKeywords(node, doc, options);
  set("propertyNames", convert(node.propertyNames, options));
  set("additionalProperties", convert(node.additionalProperties, options));
  const all = convertAll(node.allOf, options) ?? [];
  if (node.ref) {
    if (options.inlined) all.push(toDocument(node.ref, options));
    else doc.stoaRef = options.targetOf(node.ref);
  }
  for (const [key, names] of node.dependentRequired ?? []) {
    all.push({ stoaPlain: true, dependencies: own(key, [...names]) });
  }
  for (const [key, one] of node.dependentSchemas ?? []) {
    all.push({ stoaPlain: true, dependencies: own(key, toDocument(one, options)) });
  }
  if (all.length > 0) doc.allOf = all;
  set("anyOf", convertAll(node.anyOf, options));
  set("oneOf", convertAll(node.oneOf, options));
  set("not", convert(node.not, options));
  if (node.if) {
    set("if", convert(node.if, options));
    set("then", convert(node.then, options));
    set("else", convert(node.else, options));
  }
  if (options.counted) countingKeywords(node, doc);
  return doc;
}

function convert(node: SchemaNode | undefined, options: DocumentOptions): AjvDocument | undefined {
  return node && toDocument(node, options);
}

function convertAll(
  nodes: readonly SchemaNode[] | undefined,
  options: DocumentOptions,
): AjvDocument[] | undefined {
  return nodes?.map((node) => toDocument(node, options));
}

type Assign = (keyword: string, value: unknown) => void;

function scalarKeywords(
  node: SchemaNode,
  doc: { [keyword: string]: unknown },
  set: Assign,
  options: DocumentOptions,
): void {
  const spend: Spend = (steps) => options.budget.spend(steps);
  const checks: ((value: unknown) => boolean)[] = [];
  if (node.const) {
    const { value } = node.const;
    if (isScalar(value)) doc.const = value;
    else checks.push((found) => equals(found, value, spend));
  }
  if (node.enum) {
    if (node.enum.length > 0 && node.enum.length <= MANY && node.enum.every(isScalar))
      doc.enum = [...node.enum];
    else checks.push((found) => node.isMember?.(found, spend) ?? false);
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

function arrayKeywords(node: SchemaNode, set: Assign, options: DocumentOptions): void {
  set("minItems", node.minItems);
  set("maxItems", node.maxItems);
  if (node.uniqueItems) set("stoaUnique", (found: readonly unknown[]) => allDifferent(found, options.budget));
  if (node.prefixItems && node.prefixItems.length > 0) {
    set("items", convertAll(node.prefixItems, options));
    set("additionalItems", convert(node.items, options));
  } else {
    set("items", convert(node.items, options));
  }
  if (node.contains) {
    set("contains", convert(node.contains, options));
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
    node.maxProperties !== undefined
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
