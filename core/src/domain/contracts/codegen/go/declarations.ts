import { Names, pascalCase } from "../names.ts";
import type { PlannedSchema } from "../plan.ts";
import { ruleName } from "../rules.ts";
import { goString, lines, oneLine } from "../text.ts";
import type { Field, ObjectView, View } from "../view.ts";
import { Views } from "../views.ts";
import { anything, type Declaration, type GoType, GoTypes, made } from "./types.ts";

const takenFields = ["Validate", "MarshalJSON", "UnmarshalJSON", "Extra"];

interface StructField {
  /** As a literal of Go. */
  readonly key: string;
  readonly name: string;
  readonly type: GoType;
  readonly optional: boolean;
  readonly lines: readonly string[];
}

/** The types made from one schema. */
export class Declarations {
  readonly #schema: PlannedSchema;
  readonly #names: Names;
  readonly #types: GoTypes;
  readonly #out: string[] = [];

  constructor(schema: PlannedSchema, names: Names) {
    this.#schema = schema;
    this.#names = names;
    this.#types = new GoTypes(schema);
  }

  emit(): string[] {
    const root = this.#schema.graph?.root;
    if (!root) {
      this.#payload(this.#schema.name, { kind: "unknown" }, [this.#schema.name], undefined);
      return this.#out;
    }
    const views = new Views();
    const declare = (name: string, node: typeof root) => {
      const rules = [ruleName(this.#schema, node)];
      this.#payload(name, views.of(node), rules, this.#schema.descriptionOf(node));
      for (let next = this.#types.declared.shift(); next; next = this.#types.declared.shift()) {
        this.#nested(next);
      }
    };
    declare(this.#schema.name, root);
    for (const { name, node } of this.#schema.referred()) declare(name, node);
    return this.#out;
  }

  #nested(declaration: Declaration): void {
    const { kind, name } = declaration;
    if (kind === "enum") {
      this.#enum(name, declaration.values);
    } else if (kind === "union") {
      this.#value(name, anything, declaration.of, undefined, undefined);
    } else {
      const rules = declaration.view.nodes.map((node) => ruleName(this.#schema, node));
      this.#struct(name, declaration.view, rules, undefined);
    }
  }

  #payload(name: string, view: View, rules: readonly string[], description: string | undefined): void {
    if (view.kind === "object" && view.fields.length > 0) {
      this.#struct(name, view, rules, description);
    } else if (view.kind === "union" && !view.of.some(isNull)) {
      this.#value(name, anything, this.#types.options(view.of, name), rules, description);
    } else {
      this.#value(name, this.#types.of(view, name, "value"), [], rules, description);
    }
  }

  #enum(name: string, values: readonly string[]): void {
    const constants = values.map((value) => {
      const constant = this.#names.take(`${name}${pascalCase(value) || "Value"}`);
      return `const ${constant} ${name} = ${goString(value)}`;
    });
    this.#out.push(`type ${name} string`, ...constants);
  }

  /** A payload that is no object, or not always one: its value is in a field. */
  #value(
    name: string,
    type: GoType,
    options: readonly GoType[],
    rules: readonly string[] | undefined,
    description: string | undefined,
  ): void {
    const doc = docComment(name, description);
    if (options.length > 0) {
      const types = options.map((option) => option.type).join(", ");
      doc.push(doc.length > 0 ? `// It is one of ${types}.` : `// ${name} is one of ${types}.`);
    }
    this.#out.push(
      [...doc, `type ${name} struct {`, `\tValue ${type.type}`, "}"].join("\n"),
      `func read${name}(r *reader, x any) ${name} {\n\treturn ${name}{${call(type.read, "r, x")}}\n}`,
      `func (v ${name}) plain() any {\n\treturn ${call(type.plain, "v.Value")}\n}`,
    );
    if (options.length > 0) {
      this.#out.push(
        `// As reads the value into a pointer to one of the types it can be of.\nfunc (v ${name}) As(target any) error {\n\treturn as(v, target)\n}`,
      );
    }
    this.#methods(name, rules);
  }

  #struct(name: string, view: ObjectView, rules: readonly string[], description: string | undefined): void {
    const names = new Names(takenFields);
    const fields = view.fields.map((field) => this.#field(field, names, name));
    const rest = view.rest && this.#types.of(view.rest, name, "extra");
    const blocks = fields.map((field) => field.lines.join("\n"));
    if (rest) {
      blocks.push(
        `\t// Extra holds the properties that have no field.\n\tExtra map[string]${rest.type} \`json:"-"\``,
      );
    }
    this.#out.push(
      [...docComment(name, description), `type ${name} struct {`, blocks.join("\n\n"), "}"].join("\n"),
      readFunction(name, fields, rest),
      plainMethod(name, fields, rest),
    );
    this.#methods(name, rules);
  }

  #field({ key, view, required, node }: Field, names: Names, parent: string): StructField {
    const name = names.take(pascalCase(key) || "Field");
    const given = this.#types.of(view, parent, key);
    // Slices, maps and pointers have a nil of their own to say that there is nothing.
    const type = required || /^(?:\[\]|map\[|\*)/.test(given.type) ? given : made("*", "Ptr", given);
    // The methods do the reading and writing; the tag is for people, and for programs that look at tags.
    const writable = /^[A-Za-z0-9_][A-Za-z0-9_.$/-]*$/.test(key);
    const tag = writable ? `${key}${required ? "" : ",omitempty"}` : "-";
    const text = comment(this.#schema.descriptionOf(node), "\t");
    if (!writable) text.push(`\t// ${name} is the property ${goString(key)}.`);
    text.push(`\t${name} ${type.type} \`json:"${tag}"\``);
    return { key: goString(key), name, type, optional: !required, lines: text };
  }

  #methods(name: string, rules: readonly string[] | undefined): void {
    const names = (rules ?? []).map((rule) => `, ${goString(rule)}`).join("");
    this.#out.push(
      `func (v *${name}) UnmarshalJSON(data []byte) error {\n\treturn decode(data, v, read${name}${names})\n}`,
      `func (v ${name}) MarshalJSON() ([]byte, error) {\n\treturn json.Marshal(v.plain())\n}`,
    );
    if (!rules) return;
    this.#out.push(
      `// Validate says everything that is wrong with the value, as a *ValidationError.\nfunc (v ${name}) Validate() error {\n\treturn check(v.plain()${names})\n}`,
    );
  }
}

function readFunction(name: string, fields: readonly StructField[], rest: GoType | undefined): string {
  const cases = fields.flatMap(({ key, name: field, type }) => [
    `\t\tcase ${key}:`,
    `\t\t\tv.${field} = ${call(type.read, "r, x")}`,
  ]);
  const others = rest && [
    "\t\tdefault:",
    "\t\t\tif v.Extra == nil {",
    `\t\t\t\tv.Extra = map[string]${rest.type}{}`,
    "\t\t\t}",
    `\t\t\tv.Extra[key] = ${call(rest.read, "r, x")}`,
  ];
  return [
    `func read${name}(r *reader, x any) ${name} {`,
    `\tvar v ${name}`,
    "\tobject, _ := x.(map[string]any)",
    "\tfor key, x := range object {",
    "\t\tswitch key {",
    ...cases,
    ...(others ?? []),
    "\t\t}",
    "\t}",
    "\treturn v",
    "}",
  ].join("\n");
}

function plainMethod(name: string, fields: readonly StructField[], rest: GoType | undefined): string {
  const others = rest && [
    "\tfor key, x := range v.Extra {",
    `\t\tobject[key] = ${call(rest.plain, "x")}`,
    "\t}",
  ];
  const named = fields.flatMap(({ key, name: field, type, optional }) => {
    const line = `object[${key}] = ${call(type.plain, `v.${field}`)}`;
    return optional ? [`\tif v.${field} != nil {`, `\t\t${line}`, "\t}"] : [`\t${line}`];
  });
  return [
    `func (v ${name}) plain() any {`,
    "\tobject := map[string]any{}",
    ...(others ?? []),
    ...named,
    "\treturn object",
    "}",
  ].join("\n");
}

function call(made: string, args: string): string {
  return `${made}(${args})`;
}

function isNull(view: View): boolean {
  return view.kind === "scalar" && view.type === "null";
}

/** One line that starts with the name, as Go has it: gofmt sets lists, headings and quotes in its own way. */
function docComment(name: string, text: string | undefined): string[] {
  const line = oneLine(text ?? "").replace(/([`'])(?=\1)/g, "$1 ");
  return line === "" ? [] : [`// ${name}: ${line}`];
}

/** Line by line, with a blank after the slashes: without it, the compiler would read some as orders to itself. */
export function comment(text: string | undefined, indent: string): string[] {
  return lines(text ?? "").map((line) => `${indent}// ${line}`.trimEnd());
}
