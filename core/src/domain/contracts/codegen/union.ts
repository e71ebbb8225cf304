import type { Json, JsonObject } from "#domain/contracts/schema/structure";
import { never, unknown, type View } from "./view.ts";

/** One of several, in their order: nested unions opened, doubles and what another covers left out. */
export function unionOf(views: readonly View[]): View {
  const flat = views.flatMap((view) => (view.kind === "union" ? view.of : [view]));
  if (flat.some((view) => view.kind === "unknown")) return unknown;
  const scalars = new Set(flat.map((view) => (view.kind === "scalar" ? view.type : undefined)));
  const covers = (type: string) =>
    scalars.has(type as never) || (type === "integer" && scalars.has("number"));
  const seen = new Set<string>();
  const of: View[] = [];
  for (const view of flat) {
    if (view.kind === "never") continue;
    if (view.kind === "scalar" && view.type === "integer" && scalars.has("number")) continue;
    if (view.kind === "literal") {
      // All literals stand together, where the first of them stood.
      const values = view.values.filter((value) => !covers(scalarOf(value)) && isNew(seen, valueKey(value)));
      const at = of.findIndex((other) => other.kind === "literal");
      const before = of[at];
      if (values.length === 0) continue;
      if (before?.kind === "literal") of[at] = { kind: "literal", values: [...before.values, ...values] };
      else of.push({ kind: "literal", values });
    } else if (isNew(seen, keyOf(view))) {
      of.push(view);
    }
  }
  const [first] = of;
  if (!first) return never;
  return of.length === 1 ? first : { kind: "union", of };
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

export function scalarOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** Equal for values that JSON Schema calls equal. */
export function valueKey(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(valueKey).join()}]`;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${valueKey(item)}`).join()}}`;
}

/** Equal for views that are written the same way. */
export function keyOf(view: View): string {
  switch (view.kind) {
    case "literal":
      return `=${view.values.map(valueKey).join()}`;
    case "scalar":
      return `:${view.type}`;
    case "array":
      return `[${keyOf(view.item)}]`;
    case "union":
      return `(${view.of.map(keyOf).join("|")})`;
    case "ref":
      return `#${view.to.path}`;
    case "object": {
      const fields = view.fields.map(
        ({ key, view: of, required }) => `${JSON.stringify(key)}${required ? "" : "?"}:${keyOf(of)}`,
      );
      return `{${fields.join(",")},*${view.rest ? keyOf(view.rest) : ""}}`;
    }
    default:
      return view.kind;
  }
}
