import type { Json } from "#domain/contracts/schema/structure";
import type { PlannedSchema } from "../plan.ts";
import { pythonString } from "../text.ts";
import { scalarOf } from "../union.ts";
import type { ObjectView, View } from "../view.ts";

/** An object that needs a class of its own. */
export interface Nested {
  readonly name: string;
  readonly view: ObjectView;
}

/** Writes views as annotations. Objects with fields become classes; they are collected on the way. */
export class Annotations {
  readonly nested: Nested[] = [];
  readonly #schema: PlannedSchema;

  constructor(schema: PlannedSchema) {
    this.#schema = schema;
  }

  /** @param parent and `part` name the class, should there have to be one. */
  of(view: View, parent: string, part: string): string {
    switch (view.kind) {
      case "unknown":
      case "never":
        return "JsonValue";
      case "scalar":
        return scalars[view.type];
      case "literal":
        return literals(view.values);
      case "ref":
        return this.#schema.nameOf(view.to);
      case "array":
        return `list[${this.of(view.item, parent, `${part}-item`)}]`;
      case "union":
        return union(view.of.map((each, i) => this.of(each, parent, `${part}-${i + 1}`)));
      case "object": {
        if (view.fields.length === 0)
          return `dict[str, ${this.of(view.rest ?? { kind: "unknown" }, parent, `${part}-value`)}]`;
        const name = this.#schema.nested(parent, part);
        this.nested.push({ name, view });
        return name;
      }
    }
  }
}

/** Each member once: those of an inner union count one by one. */
function union(members: readonly string[]): string {
  return [...new Set(members)].join(" | ");
}

const scalars = {
  string: "str",
  integer: "int",
  number: "int | float",
  boolean: "bool",
  null: "None",
} as const;

function literals(values: readonly Json[]): string {
  const listed = values.filter(isLiteral).map(literal);
  const others = new Set(values.filter((value) => !isLiteral(value)).map(broader));
  return [...(listed.length > 0 ? [`Literal[${listed.join(", ")}]`] : []), ...others].join(" | ");
}

/** What `Literal` can hold. Pydantic refuses a text that is no Unicode. */
function isLiteral(value: Json): value is string | number | boolean | null {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value !== "object" || value === null;
}

function literal(value: string | number | boolean | null): string {
  if (typeof value === "string") return pythonString(value);
  if (typeof value === "number") return String(value);
  return value === null ? "None" : value ? "True" : "False";
}

function broader(value: Json): string {
  const type = scalarOf(value);
  return type in scalars ? scalars[type as keyof typeof scalars] : "JsonValue";
}
