import type { Json, JsonObject } from "#domain/contracts/schema/structure";
import { header } from "./header.ts";
import { type CodegenSource, type PlannedSchema, planOf } from "./plan.ts";
import { jsonString, lines } from "./text.ts";
import { unionOf } from "./union.ts";
import type { Field, ObjectView, View } from "./view.ts";
import { Views } from "./views.ts";

/** The TypeScript of what an agent declares: a Request and a Response per capability, and all of them by name. */
export function emitTypeScript(source: CodegenSource): string {
  const plan = planOf(source, ["Capabilities"]);
  const out = [...header(plan, "//"), ""];
  for (const { request, response } of plan.capabilities) {
    for (const schema of [request, response]) out.push(...emitSchema(schema));
  }
  out.push("export interface Capabilities {");
  for (const { name, description, request, response } of plan.capabilities) {
    out.push(...docComment(description, "  "));
    out.push(`  ${jsonString(name)}: { request: ${request.name}; response: ${response.name} };`);
  }
  out.push("}");
  return `${out.join("\n")}\n`;
}

function emitSchema(schema: PlannedSchema): string[] {
  const root = schema.graph?.root;
  if (!root) return [`export type ${schema.name} = unknown;`, ""];
  const views = new Views();
  const out: string[] = [];
  const declare = (name: string, view: View, description: string | undefined) => {
    const type = new Printer(schema).print(view, "");
    out.push(...docComment(description, ""), `export type ${name} = ${type};`, "");
  };
  declare(schema.name, views.of(root), schema.descriptionOf(root));
  for (const { name, node } of schema.referred()) {
    declare(name, views.of(node), schema.descriptionOf(node));
  }
  return out;
}

class Printer {
  readonly #schema: PlannedSchema;

  constructor(schema: PlannedSchema) {
    this.#schema = schema;
  }

  print(view: View, indent: string): string {
    switch (view.kind) {
      case "unknown":
      case "never":
        return view.kind;
      case "literal":
        return view.values.map(literal).join(" | ");
      case "scalar":
        return view.type === "integer" ? "number" : view.type;
      case "ref":
        return this.#schema.nameOf(view.to);
      case "union":
        return view.of.map((each) => this.print(each, indent)).join(" | ");
      case "array":
        return `${this.#operand(view.item, indent)}[]`;
      case "object":
        return this.#object(view, indent);
    }
  }

  /** In parentheses where what follows would otherwise bind to the last member alone. */
  #operand(view: View, indent: string): string {
    const text = this.print(view, indent);
    return view.kind === "union" || (view.kind === "literal" && view.values.length > 1) ? `(${text})` : text;
  }

  #object({ fields, rest }: ObjectView, indent: string): string {
    const inner = `${indent}  `;
    if (fields.length === 0) {
      if (!rest) return "Record<string, never>";
      return `{ [key: string]: ${this.print(rest, indent)} }`;
    }
    const out = ["{"];
    for (const field of fields) out.push(...this.#field(field, inner));
    if (rest?.kind === "unknown") out.push(`${inner}/* … */`);
    else if (rest) out.push(`${inner}[key: string]: ${this.#index(fields, rest, inner)};`);
    out.push(`${indent}}`);
    return out.join("\n");
  }

  /** An index signature has to cover the named properties beside it, and the absence of those that may be absent. */
  #index(fields: readonly Field[], rest: View, indent: string): string {
    const all = unionOf([rest, ...fields.map(({ view }) => view)]);
    const text = this.print(all, indent);
    return all.kind === "unknown" || fields.every(({ required }) => required) ? text : `${text} | undefined`;
  }

  #field({ key, view, required, node }: Field, indent: string): string[] {
    const name = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) ? key : jsonString(key);
    const type = this.print(view, indent);
    return [
      ...docComment(this.#schema.descriptionOf(node), indent),
      `${indent}${name}${required ? "" : "?"}: ${type};`,
    ];
  }
}

function literal(value: Json): string {
  if (typeof value === "string") return jsonString(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(literal).join(", ")}]`;
  const entries = Object.entries(value as JsonObject);
  if (entries.length === 0) return "Record<string, never>";
  return `{ ${entries.map(([key, item]) => `${jsonString(key)}: ${literal(item)}`).join("; ")} }`;
}

function docComment(text: string | undefined, indent: string): string[] {
  if (text === undefined) return [];
  const safe = lines(text).map((line) =>
    line
      .replaceAll("*/", "*\\/")
      // The compiler takes some words after an @ as orders to itself.
      .replace(/(^|[\s*/])@(?=[A-Za-z])/g, "$1\\@"),
  );
  if (safe.length === 0) return [];
  if (safe.length === 1) return [`${indent}/** ${safe[0]} */`];
  return [`${indent}/**`, ...safe.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
