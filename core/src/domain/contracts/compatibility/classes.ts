import { below, endOf, inPlace, type SchemaNode } from "#domain/contracts/schema/structure";

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
 * they stand and however they refer to one another. Found as one minimises an automaton: all are taken for
 * equal until something tells them apart.
 */
export class Classes {
  readonly #class = new Map<SchemaNode, number>();
  readonly #members: SchemaNode[] = [];

  constructor(roots: readonly SchemaNode[]) {
    const nodes = new Set(roots.map(endOf));
    for (const node of nodes) {
      for (const next of inPlace(node)) nodes.add(endOf(next));
      for (const next of below(node)) nodes.add(endOf(next));
    }
    let count = 0;
    for (const node of nodes) this.#class.set(node, 0);
    for (;;) {
      const numbers = new Map<string, number>();
      const next = new Map<SchemaNode, number>();
      for (const node of nodes) {
        const signature = this.#signature(node);
        const number = numbers.get(signature) ?? numbers.size;
        numbers.set(signature, number);
        next.set(node, number);
      }
      for (const [node, number] of next) this.#class.set(node, number);
      // A round that tells no more apart than the one before has found all there is to find.
      if (numbers.size === count) break;
      count = numbers.size;
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

  #signature(node: SchemaNode): string {
    const number = (of: SchemaNode) => this.#class.get(endOf(of));
    const parts: unknown[] = [this.#class.get(node)];
    for (const key of plain) if (node[key] !== undefined) parts.push(key, node[key]);
    if (node.types) parts.push("type", [...node.types].sort());
    if (node.required) parts.push("required", [...node.required].sort());
    if (node.pattern) parts.push("pattern", node.pattern.source);
    for (const key of single) if (node[key]) parts.push(key, number(node[key]));
    for (const key of listed) if (node[key]) parts.push(key, node[key].map(number));
    for (const key of ["properties", "dependentSchemas"] as const) {
      if (node[key]) parts.push(key, [...node[key]].map(([name, of]) => [name, number(of)]).sort(byText));
    }
    if (node.dependentRequired) parts.push("dependentRequired", [...node.dependentRequired].sort(byText));
    for (const { pattern, node: of } of node.patternProperties ?? []) parts.push(pattern.source, number(of));
    return JSON.stringify(parts);
  }
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
