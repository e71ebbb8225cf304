import type { Json } from "#domain/contracts/schema/structure";
import { chance, one, type Pick, some } from "./pick.ts";

export interface Schema {
  [keyword: string]: Json | Schema | Schema[] | { [name: string]: Schema } | string[];
}

export const keys = ["a", "b", "kind", "__proto__", "", "x/y", "größe"];
const types = ["object", "array", "string", "integer", "number", "boolean", "null"];
export const patterns = [
  "^a",
  "b$",
  "^[a-c]+$",
  "\\d",
  "^(?:x|yz)*$",
  "[^0-9]",
  "^.{2,4}$",
  "\\bfoo\\b",
  "o\\B",
  "^\\W*$",
  "\\S$",
  "\\p{Lu}|ö",
  "[\\u{1f600}-\\u{1f64f}]",
  "",
];
export const formats = ["uuid", "email", "uri", "uri-reference", "date-time"];
export const values: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  -2.5,
  "",
  "a",
  "foo",
  [],
  [1],
  {},
  { a: 1 },
  { a: [null] },
];

/** A schema of the subset, any of its keywords in any combination that the dialect allows. */
export function randomSchema(pick: Pick): Schema {
  const names = some(pick, ["node", "leaf"], 40);
  const schema = subschema(pick, 3, names, false);
  if (names.length > 0) {
    // What is in a definition may refer to any of them, but only from inside a property or an item.
    schema.definitions = Object.fromEntries(names.map((name) => [name, definition(pick, names)]));
  }
  return schema;
}

function definition(pick: Pick, names: readonly string[]): Schema {
  return subschema(pick, 2, names, true);
}

/** @param guarded whether a reference right here could lead back here */
function subschema(pick: Pick, depth: number, names: readonly string[], guarded: boolean): Schema {
  if (!guarded && names.length > 0 && chance(pick, 20)) return { $ref: `#/definitions/${one(pick, names)}` };
  const schema: Schema = {};
  const inner = (stays: boolean) => subschema(pick, depth - 1, names, stays && guarded);
  const group = pick.below(8);
  if (chance(pick, 70))
    schema.type = chance(pick, 75) ? one(pick, types) : [...new Set([one(pick, types), one(pick, types)])];
  if (group === 0) {
    if (chance(pick, 60)) schema.enum = distinct([one(pick, values), one(pick, values), one(pick, values)]);
    else schema.const = one(pick, values);
  }
  if (group === 1 || chance(pick, 15)) Object.assign(schema, numeric(pick));
  if (group === 2 || chance(pick, 15)) Object.assign(schema, textual(pick));
  if (depth > 0) {
    if (group === 3 || chance(pick, 10)) Object.assign(schema, listing(pick, inner));
    if (group === 4 || group === 5 || chance(pick, 15)) Object.assign(schema, shaping(pick, inner));
    if (group === 6) combine(pick, schema, inner);
  }
  if (chance(pick, 5)) schema.description = 'words */ """ `';
  return schema;
}

function distinct(list: readonly Json[]): Json[] {
  const seen = new Map(list.map((value) => [JSON.stringify(value), value]));
  return [...seen.values()];
}

function numeric(pick: Pick): Schema {
  const schema: Schema = {};
  if (chance(pick, 40)) schema.minimum = pick.below(10) - 5;
  if (chance(pick, 40)) schema.maximum = pick.below(10) + 0.5;
  if (chance(pick, 20)) schema.exclusiveMinimum = pick.below(10) - 5.5;
  if (chance(pick, 20)) schema.exclusiveMaximum = pick.below(10);
  return schema;
}

function textual(pick: Pick): Schema {
  const schema: Schema = {};
  if (chance(pick, 40)) schema.minLength = pick.below(4);
  if (chance(pick, 40)) schema.maxLength = 1 + pick.below(6);
  if (chance(pick, 30)) schema.pattern = one(pick, patterns);
  if (chance(pick, 15)) schema.format = one(pick, formats);
  return schema;
}

function listing(pick: Pick, inner: (stays: boolean) => Schema): Schema {
  const schema: Schema = {};
  if (chance(pick, 60)) schema.items = inner(false);
  if (chance(pick, 30)) schema.minItems = pick.below(3);
  if (chance(pick, 30)) schema.maxItems = pick.below(4);
  if (chance(pick, 30)) schema.uniqueItems = chance(pick, 80);
  return schema;
}

function shaping(pick: Pick, inner: (stays: boolean) => Schema): Schema {
  const schema: Schema = {};
  if (chance(pick, 80))
    schema.properties = Object.fromEntries(some(pick, keys, 35).map((key) => [key, inner(false)]));
  if (chance(pick, 50)) schema.required = some(pick, keys, 25);
  if (chance(pick, 40)) schema.additionalProperties = chance(pick, 60) ? chance(pick, 30) : inner(false);
  return schema;
}

function combine(pick: Pick, schema: Schema, inner: (stays: boolean) => Schema): void {
  const keyword = one(pick, ["allOf", "anyOf", "oneOf", "not"]);
  if (keyword === "not") schema.not = inner(true);
  else schema[keyword] = Array.from({ length: 1 + pick.below(3) }, () => inner(true));
}
