import type { Json, SchemaNode } from "#domain/contracts/schema/structure";
import { isRecursive } from "../children.ts";
import type { PlannedSchema } from "../plan.ts";
import { scalarOf, unionOf } from "../union.ts";
import type { ObjectView, View } from "../view.ts";

/** A type of Go, and the functions that make it from checked JSON and turn it back. */
export interface GoType {
  readonly type: string;
  readonly read: string;
  readonly plain: string;
}

/** A type that has to be declared. */
export type Declaration =
  | { readonly kind: "struct"; readonly name: string; readonly view: ObjectView }
  | { readonly kind: "union"; readonly name: string; readonly of: readonly GoType[] }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] };

export const anything: GoType = { type: "any", read: "readAny", plain: "plainAny" };
const scalars: Readonly<Record<string, GoType>> = {
  string: { type: "string", read: "readText[string]", plain: "plainText[string]" },
  integer: { type: "int64", read: "readInt", plain: "plainInt" },
  number: { type: "float64", read: "readFloat", plain: "plainFloat" },
  boolean: { type: "bool", read: "readBool", plain: "plainBool" },
  null: anything,
};

/** Writes views as types of Go. Structs, unions and enums need names; they are collected on the way. */
export class GoTypes {
  readonly declared: Declaration[] = [];
  readonly #schema: PlannedSchema;
  readonly #recursive = new Map<SchemaNode, boolean>();

  constructor(schema: PlannedSchema) {
    this.#schema = schema;
  }

  /** @param parent and `part` name the type, should there have to be one. */
  of(view: View, parent: string, part: string): GoType {
    switch (view.kind) {
      case "unknown":
      case "never":
        return anything;
      case "scalar":
        return scalars[view.type] ?? anything;
      case "literal":
        return this.#literal(view.values, parent, part);
      case "array":
        return made("[]", "List", this.of(view.item, parent, `${part}-item`));
      case "ref":
        return this.#ref(view.to);
      case "union":
        return this.#union(view.of, parent, part);
      case "object": {
        if (view.fields.length === 0) {
          return made(
            "map[string]",
            "Map",
            this.of(view.rest ?? { kind: "unknown" }, parent, `${part}-value`),
          );
        }
        const name = this.#schema.nested(parent, part);
        this.declared.push({ kind: "struct", name, view });
        return named(name);
      }
    }
  }

  #ref(node: SchemaNode): GoType {
    const type = named(this.#schema.nameOf(node));
    // A type cannot hold itself; a pointer to itself it can.
    return this.#isRecursive(node) ? made("*", "Ptr", type) : type;
  }

  #isRecursive(node: SchemaNode): boolean {
    const known = this.#recursive.get(node) ?? isRecursive(node);
    this.#recursive.set(node, known);
    return known;
  }

  #literal(values: readonly Json[], parent: string, part: string): GoType {
    const rest = values.filter((value) => value !== null);
    if (rest.length === 0) return anything;
    if (rest.length < values.length) return nullable(this.#literal(rest, parent, part));
    if (rest.every((value) => typeof value === "string")) {
      const name = this.#schema.nested(parent, part);
      this.declared.push({ kind: "enum", name, values: rest });
      return { type: name, read: `readText[${name}]`, plain: `plainText[${name}]` };
    }
    const kinds = unionOf(rest.map((value) => ({ kind: "scalar", type: scalarOf(value) as "number" })));
    return kinds.kind === "scalar" ? (scalars[kinds.type] ?? anything) : anything;
  }

  #union(of: readonly View[], parent: string, part: string): GoType {
    const rest = of.filter((view) => !(view.kind === "scalar" && view.type === "null"));
    if (rest.length < of.length) return nullable(this.of(unionOf(rest), parent, part));
    const name = this.#schema.nested(parent, part);
    this.declared.push({ kind: "union", name, of: this.options(of, name) });
    return named(name);
  }

  /** The types that a union's value can be read as. */
  options(of: readonly View[], parent: string): GoType[] {
    return of.map((view, i) => this.of(view, parent, `Option${i + 1}`));
  }
}

function named(name: string): GoType {
  return { type: name, read: `read${name}`, plain: `${name}.plain` };
}

export function made(prefix: string, kind: string, of: GoType): GoType {
  return { type: `${prefix}${of.type}`, read: `read${kind}(${of.read})`, plain: `plain${kind}(${of.plain})` };
}

function nullable(of: GoType): GoType {
  if (of.type === "any") return of;
  return {
    type: `Nullable[${of.type}]`,
    read: `readNullable(${of.read})`,
    plain: `plainNullable(${of.plain})`,
  };
}
