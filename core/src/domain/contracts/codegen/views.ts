import { asksNothingItself, endOf, type Json, type SchemaNode } from "#domain/contracts/schema/structure";
import { keyOf, scalarOf, unionOf, valueKey } from "./union.ts";
import { type Field, never, type ObjectView, type Scalar, unknown, type View } from "./view.ts";

/** Where two unions would make more pairs than this, one of the two has to do: it still admits every value. */
const maxPairs = 256;
/** How many references may be opened for one type. Beyond it they stay references. */
const maxOpened = 1_000;

const everyType = ["object", "array", "string", "number", "boolean", "null"] as const;

/** Works out the views of a schema's parts. */
export class Views {
  readonly #opening = new Set<SchemaNode>();
  #opened = 0;

  /** The view of a subschema from within: where it is itself a reference, what it refers to keeps its name. */
  of(node: SchemaNode): View {
    this.#opened = 0;
    this.#opening.clear();
    this.#opening.add(node);
    return this.#of(node);
  }

  #of(node: SchemaNode): View {
    if (node.always !== undefined) return node.always ? unknown : never;
    const parts: View[] = [];
    if (node.ref) parts.push({ kind: "ref", to: endOf(node.ref) });
    parts.push(this.#own(node));
    for (const part of node.allOf ?? []) parts.push(this.#of(part));
    if (node.anyOf) parts.push(this.#oneOf(node.anyOf));
    if (node.oneOf) parts.push(this.#oneOf(node.oneOf));
    if (node.not && admitsAll(node.not)) parts.push(never);
    return parts.reduce((a, b) => this.#both(a, b));
  }

  #oneOf(nodes: readonly SchemaNode[]): View {
    return unionOf(nodes.map((node) => this.#of(node)));
  }

  /** What the node's own keywords say, without those that combine other schemas. */
  #own(node: SchemaNode): View {
    const values = node.const ? [node.const.value] : node.enum;
    if (values?.length === 0) return never;
    const { types, properties, required, additionalProperties, items, prefixItems } = node;
    const shaped = properties ?? required ?? additionalProperties ?? items ?? prefixItems;
    if (!types && !shaped) return values ? { kind: "literal", values } : unknown;
    const byType = unionOf((types ?? everyType).map((type) => this.#typed(node, type)));
    return values ? this.#both({ kind: "literal", values }, byType) : byType;
  }

  #typed(node: SchemaNode, type: Scalar | "object" | "array"): View {
    if (type === "object") return this.#object(node);
    if (type !== "array") return { kind: "scalar", type };
    const rest = node.items ? this.#of(node.items) : unknown;
    const first = (node.prefixItems ?? []).map((item) => this.#of(item));
    return { kind: "array", item: unionOf([...first, rest]) };
  }

  #object(node: SchemaNode): ObjectView {
    const more = node.additionalProperties ? this.#of(node.additionalProperties) : unknown;
    const byPattern = (node.patternProperties ?? []).map((entry) => this.#of(entry.node));
    const rest = unionOf([...byPattern, more]);
    const required = new Set(node.required);
    const fields: Field[] = [];
    for (const [key, property] of node.properties ?? []) {
      fields.push({ key, view: this.#of(property), required: required.delete(key), node: property });
    }
    // Required without being described: there, and of whatever kind further properties are.
    for (const key of required) fields.push({ key, view: rest, required: true, node: undefined });
    return { kind: "object", fields, rest: rest.kind === "never" ? undefined : rest, nodes: [node] };
  }

  /** What satisfies both. Where that cannot be written down, it is one of the two. */
  #both(a: View, b: View): View {
    if (a.kind === "unknown") return b;
    if (b.kind === "unknown") return a;
    if (a.kind === "never" || b.kind === "never") return never;
    if (a.kind === "ref") return this.#open(a.to, a, b, (view) => this.#both(view, b));
    if (b.kind === "ref") return this.#open(b.to, b, a, (view) => this.#both(a, view));
    if (a.kind === "union" || b.kind === "union") {
      const left = a.kind === "union" ? a.of : [a];
      const right = b.kind === "union" ? b.of : [b];
      if (left.length * right.length > maxPairs) return a;
      return unionOf(left.flatMap((one) => right.map((other) => this.#both(one, other))));
    }
    if (a.kind === "literal") return narrow(a.values, b);
    if (b.kind === "literal") return narrow(b.values, a);
    if (a.kind === "scalar" && b.kind === "scalar") return bothScalars(a.type, b.type);
    if (a.kind === "array" && b.kind === "array") return { kind: "array", item: this.#both(a.item, b.item) };
    return a.kind === "object" && b.kind === "object" ? this.#merge(a, b) : never;
  }

  /** Looks behind a reference, unless that is where we are already. */
  #open(to: SchemaNode, ref: View, other: View, then: (view: View) => View): View {
    if (keyOf(ref) === keyOf(other) || this.#opening.has(to) || ++this.#opened > maxOpened) return ref;
    this.#opening.add(to);
    const view = then(this.#of(to));
    this.#opening.delete(to);
    return view;
  }

  #merge(a: ObjectView, b: ObjectView): View {
    const others = new Map(b.fields.map((field) => [field.key, field]));
    const fields: Field[] = [];
    for (const field of a.fields) {
      const other = others.get(field.key);
      others.delete(field.key);
      fields.push({
        key: field.key,
        view: this.#both(field.view, other?.view ?? b.rest ?? never),
        required: field.required || other?.required === true,
        node: field.node ?? other?.node,
      });
    }
    for (const field of others.values()) {
      fields.push({ ...field, view: this.#both(field.view, a.rest ?? never) });
    }
    const rest = a.rest && b.rest ? this.#both(a.rest, b.rest) : undefined;
    const nodes = [...new Set([...a.nodes, ...b.nodes])];
    return { kind: "object", fields, rest: rest?.kind === "never" ? undefined : rest, nodes };
  }
}

function admitsAll(node: SchemaNode): boolean {
  return node.always ?? (!node.ref && asksNothingItself(node));
}

function bothScalars(a: Scalar, b: Scalar): View {
  if (a === b) return { kind: "scalar", type: a };
  const numbers: readonly Scalar[] = ["integer", "number"];
  return numbers.includes(a) && numbers.includes(b) ? { kind: "scalar", type: "integer" } : never;
}

function narrow(values: readonly Json[], view: View): View {
  const left = values.filter((value) => mayBe(value, view));
  return left.length === 0 ? never : { kind: "literal", values: left };
}

/** By kind alone: literals that fail in another way do no harm. */
function mayBe(value: Json, view: View): boolean {
  const type = scalarOf(value);
  switch (view.kind) {
    case "scalar":
      return type === view.type || (type === "integer" && view.type === "number");
    case "literal":
      return view.values.some((other) => valueKey(other) === valueKey(value));
    case "array":
    case "object":
      return type === view.kind;
    default:
      return true;
  }
}
