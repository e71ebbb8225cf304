import { endOf, type SchemaNode } from "#domain/contracts/schema/structure";

/** Keywords whose value says all there is to say. */
const plain = [
  "always",
  "enum",
  "const",
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
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
] as const;
const single = [
  "ref",
  "items",
  "contains",
  "additionalProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
const listed = ["prefixItems", "allOf", "anyOf", "oneOf"] as const;

/**
 * Numbers the subschemas of several schemas so that those which say the same have the same number, wherever
 * they stand and however they refer to one another. Found as one minimises an automaton: all that say the
 * same themselves are taken for equal until something below tells them apart.
 */
export class Classes {
  readonly #class = new Map<SchemaNode, number>();
  readonly #members: SchemaNode[] = [];

  constructor(roots: readonly SchemaNode[]) {
    const nodes = new Set(roots.map(endOf));
    const inner = new Map<SchemaNode, readonly SchemaNode[]>();
    const own = new Map<SchemaNode, string>();
    for (const node of nodes) {
      const { text, children } = read(node);
      own.set(node, text);
      inner.set(node, children);
      for (const next of children) nodes.add(next);
    }
    let count = this.#number(nodes, (node) => own.get(node) ?? "");
    for (;;) {
      const numberOf = (node: SchemaNode) => this.#class.get(node);
      const next = this.#number(
        nodes,
        (node) => `${numberOf(node)}:${inner.get(node)?.map(numberOf).join()}`,
      );
      // A round that tells no more apart than the one before has found all there is to find.
      if (next === count) break;
      count = next;
    }
    for (const [node, number] of this.#class) this.#members[number] ??= node;
  }

  of(node: SchemaNode): number {
    const number = this.#class.get(endOf(node));
    if (number === undefined) throw new Error("a subschema of another schema was asked for");
    return number;
  }

  member(number: number): SchemaNode {
    const node = this.#members[number];
    if (!node) throw new Error("there is no such class");
    return node;
  }

  /** One number for each text. @returns how many there are */
  #number(nodes: Iterable<SchemaNode>, textOf: (node: SchemaNode) => string): number {
    const numbers = new Map<string, number>();
    const texts = Array.from(nodes, (node) => [node, textOf(node)] as const);
    for (const [node, text] of texts) {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      this.#class.set(node, number);
    }
    return numbers.size;
  }
}

/** What a node says itself, and the subschemas it says the rest with, in an order that does not depend on the text's. */
function read(node: SchemaNode): { text: string; children: SchemaNode[] } {
  const parts: unknown[] = [];
  const children: SchemaNode[] = [];
  for (const key of plain) if (node[key] !== undefined) parts.push(key, node[key]);
  if (node.types) parts.push("type", [...node.types].sort());
  if (node.required) parts.push("required", [...node.required].sort());
  if (node.pattern) parts.push("pattern", node.pattern.source);
  for (const key of single) {
    if (!node[key]) continue;
    parts.push(key);
    children.push(endOf(node[key]));
  }
  for (const key of listed) {
    if (!node[key]) continue;
    parts.push(key, node[key].length);
    children.push(...node[key].map(endOf));
  }
  for (const key of ["properties", "dependentSchemas"] as const) {
    if (!node[key]) continue;
    const names = [...node[key].keys()].sort();
    parts.push(key, names);
    for (const name of names) children.push(endOf(node[key].get(name) ?? node));
  }
  if (node.dependentRequired) parts.push("dependentRequired", [...node.dependentRequired]);
  for (const { pattern, node: of } of node.patternProperties ?? []) {
    parts.push("patternProperties", pattern.source);
    children.push(endOf(of));
  }
  return { text: JSON.stringify(parts), children };
}
