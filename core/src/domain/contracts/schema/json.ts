import { child } from "#domain/contracts/pointer";
import { limits } from "./limits.ts";
import type { Json, SchemaProblem } from "./types.ts";

export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };

/**
 * A private copy of what claims to be JSON: bounded, free of accessors, prototypes and sharing, so that
 * nothing which happens to the original later can change what was checked.
 */
export function copyJson(value: unknown): { value: Json } | { problem: SchemaProblem } {
  const budget = { values: limits.schemaValues, text: limits.schemaText };
  try {
    return { value: copy(value, "", 0, budget) };
  } catch (thrown) {
    if (thrown instanceof NotJson) return { problem: { path: thrown.path || "/", message: thrown.message } };
    throw thrown;
  }
}

class NotJson extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

function copy(value: unknown, path: string, depth: number, budget: { values: number; text: number }): Plain {
  if (--budget.values < 0) {
    throw new NotJson("", `the schema has more than ${limits.schemaValues} values`);
  }
  if (depth > limits.schemaDepth) {
    throw new NotJson("", `the schema is nested deeper than ${limits.schemaDepth} levels`);
  }
  switch (typeof value) {
    case "string":
      spend(budget, value.length);
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NotJson(path, `${value} is not a JSON number`);
    case "boolean":
      return value;
    case "object":
      break;
    default:
      throw new NotJson(path, `a ${typeof value} is not JSON`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    if (value.length > budget.values) {
      throw new NotJson("", `the schema has more than ${limits.schemaValues} values`);
    }
    return Array.from(value, (item: unknown, i) => copy(item, child(path, i), depth + 1, budget));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw new NotJson(path, "a value that is no plain object is not JSON");
  }
  const result: { [key: string]: Plain } = {};
  for (const [key, item] of Object.entries(value)) {
    spend(budget, key.length);
    if (item !== undefined) setOwn(result, key, copy(item, child(path, key), depth + 1, budget));
  }
  return result;
}

function spend(budget: { text: number }, length: number): void {
  budget.text -= length;
  if (budget.text < 0) throw new NotJson("", `the schema has more than ${limits.schemaText} characters`);
}

/** Assignment to `__proto__` would change the prototype; a definition never does. */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
