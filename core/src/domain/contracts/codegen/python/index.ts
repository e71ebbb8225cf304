import { readFileSync } from "node:fs";
import { header } from "../header.ts";
import { type CodegenSource, type PlannedSchema, planOf } from "../plan.ts";
import { type Rules, ruleName, rulesOf } from "../rules.ts";
import { asciiJson, lines, pythonString } from "../text.ts";
import type { Field, ObjectView, View } from "../view.ts";
import { Views } from "../views.ts";
import { FieldNames, reservedTypes } from "./names.ts";
import { toRust } from "./regex.ts";
import { Annotations } from "./types.ts";

const part = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8").trimEnd();

/** Pydantic models of what an agent declares. They refuse whatever the schemas refuse. */
export function emitPython(source: CodegenSource): string {
  const plan = planOf(source, reservedTypes);
  const classes: string[] = [];
  for (const { request, response } of plan.capabilities) {
    for (const schema of [request, response]) classes.push(...new Classes(schema).emit());
  }
  const rules = rulesOf(plan, toRust);
  const withFormats = Object.values(rules).some((rule) => rule.format !== undefined);
  const table = plan.capabilities.map(
    ({ name, request, response }) => `    ${pythonString(name)}: (${request.name}, ${response.name}),`,
  );
  const blocks = [
    [...header(plan, "#"), ...imports(withFormats)].join("\n"),
    part("./base.py"),
    ...classes,
    ["CAPABILITIES: dict[str, tuple[type[BaseModel], type[BaseModel]]] = {", ...table, "}"].join("\n"),
    part("./runtime.py"),
    withFormats ? part("./formats.py") : "_FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {}",
    printRules(rules),
  ];
  return `${blocks.join("\n\n\n")}\n`;
}

function imports(withFormats: boolean): string[] {
  return [
    "",
    "from __future__ import annotations",
    "",
    "import json",
    ...(withFormats ? ["import re"] : []),
    "import sys",
    "from collections.abc import Callable, Hashable",
    "from contextvars import ContextVar",
    "from fractions import Fraction",
    "from functools import cache",
    "from typing import Annotated, Any, ClassVar, Literal",
    "",
    "from pydantic import (",
    ...[
      "BaseModel",
      "ConfigDict",
      "Field",
      "JsonValue",
      "ModelWrapValidatorHandler",
      "RootModel",
      "SerializationInfo",
      "SerializerFunctionWrapHandler",
      "TypeAdapter",
      "ValidationError",
      "model_serializer",
      "model_validator",
    ].map((name) => `    ${name},`),
    ")",
    "from typing_extensions import Self",
  ];
}

/** JSON in a string literal: a text of JSON has no three quotes in a row, and its backslashes are doubled. */
function printRules(rules: Rules): string {
  const entries = Object.entries(rules).map(([name, rule]) =>
    `  ${asciiJson(name)}: ${asciiJson(rule)}`.replaceAll("\\", "\\\\"),
  );
  return `_RULES: dict[str, dict[str, Any]] = json.loads("""{\n${entries.join(",\n")}\n}""")`;
}

/** The classes made from one schema. */
class Classes {
  readonly #schema: PlannedSchema;
  readonly #annotations: Annotations;
  readonly #out: string[] = [];

  constructor(schema: PlannedSchema) {
    this.#schema = schema;
    this.#annotations = new Annotations(schema);
  }

  emit(): string[] {
    const root = this.#schema.graph?.root;
    if (!root) {
      this.#root(this.#schema.name, { kind: "unknown" }, [this.#schema.name], undefined);
      return this.#out;
    }
    const views = new Views();
    const declare = (name: string, node: typeof root) => {
      const view = views.of(node);
      const description = this.#schema.descriptionOf(node);
      const rules = [ruleName(this.#schema, node)];
      if (view.kind === "object" && view.fields.length > 0) this.#model(name, view, rules, description);
      else this.#root(name, view, rules, description);
      for (let next = this.#annotations.nested.shift(); next; next = this.#annotations.nested.shift()) {
        this.#model(
          next.name,
          next.view,
          next.view.nodes.map((of) => ruleName(this.#schema, of)),
          undefined,
        );
      }
    };
    declare(this.#schema.name, root);
    for (const { name, node } of this.#schema.referred()) declare(name, node);
    return this.#out;
  }

  #root(name: string, view: View, rules: readonly string[], description: string | undefined): void {
    const annotation = this.#annotations.of(view, name, "value");
    this.#out.push(
      [...opening(`class ${name}(_Root):`, description, rules), "", `    root: ${annotation}`].join("\n"),
    );
  }

  #model(name: string, view: ObjectView, rules: readonly string[], description: string | undefined): void {
    const out = opening(`class ${name}(_Model):`, description, rules);
    if (!view.rest) out.push('    model_config = ConfigDict(extra="forbid")');
    out.push("");
    const names = new FieldNames();
    // Half a surrogate pair is no text to pydantic, so no field can be called that.
    for (const field of view.fields) {
      if (field.key.isWellFormed()) out.push(...this.#field(field, names.take(field.key), name));
    }
    if (view.rest && view.rest.kind !== "unknown") {
      const annotation = this.#annotations.of(view.rest, name, "extra");
      out.push(`    __pydantic_extra__: dict[str, ${annotation}] = Field(init=False)`);
    }
    this.#out.push(out.join("\n"));
  }

  #field({ key, view, required, node }: Field, name: string, parent: string): string[] {
    const annotation = this.#annotations.of(view, parent, key);
    const options: string[] = [];
    if (!required) options.push("default=None");
    if (name !== key) options.push(`alias=${pythonString(key)}`);
    const type = required || / \| None$|^None$/.test(annotation) ? annotation : `${annotation} | None`;
    const value = name !== key ? ` = Field(${options.join(", ")})` : required ? "" : " = None";
    return [`    ${name}: ${type}${value}`, ...docString(this.#schema.descriptionOf(node))];
  }
}

function opening(line: string, description: string | undefined, rules: readonly string[]): string[] {
  const doc = docString(description);
  const names = rules.map((rule) => `${pythonString(rule)},`).join(" ");
  return [
    line,
    ...doc,
    ...(doc.length > 0 ? [""] : []),
    `    _rules: ClassVar[tuple[str, ...]] = (${names})`,
  ];
}

/** A string, not a comment: in comments, type checkers read orders to themselves. */
function docString(text: string | undefined): string[] {
  const escaped = lines(text ?? "").map((line) => line.replace(/["\\]/g, "\\$&"));
  if (escaped.length === 0) return [];
  const [first = "", ...rest] = escaped;
  if (rest.length === 0) return [`    """${first}"""`];
  return [`    """${first}`, ...rest.map((line) => `    ${line}`.trimEnd()), '    """'];
}
