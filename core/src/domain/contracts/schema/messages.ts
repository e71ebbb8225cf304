import { type FormatName, formats } from "./formats.ts";
import { limits } from "./limits.ts";
import type { SchemaType } from "./types.ts";

// The texts of violations. Callers rely on them, so they are kept in one place and never change lightly.

export const nothingAllowed = "no value is allowed here";
export const unevaluatedItem = "unevaluated item is not allowed";

export function wrongType(types: readonly SchemaType[], value: unknown): string {
  return `expected type ${types.join("|")} but got ${typeName(value)}`;
}
export function notConst(expected: unknown, quoted: string): string {
  return `expected const ${quote(expected)} but got ${quoted}`;
}
export function notInEnum(values: readonly unknown[]): string {
  let list = "";
  for (const value of values) {
    if (list.length > limits.quotedText) break;
    list += `${list === "" ? "" : ", "}${quote(value)}`;
  }
  return `value not in enum [${cut(list)}]`;
}
export function noMatch(source: string): string {
  return `string does not match pattern /${source}/`;
}
export function wrongFormat(name: FormatName): string {
  return `format ${name}: not ${formats[name].noun}`;
}
export function missing(key: string): string {
  return `missing required property ${quote(key)}`;
}
export function missingBeside(key: string, because: string): string {
  return `missing property ${quote(key)}, required beside ${quote(because)}`;
}
export function additional(key: string): string {
  return `additional property ${quote(key)} is not allowed`;
}
export function unevaluated(key: string): string {
  return `unevaluated property ${quote(key)} is not allowed`;
}
export function badName(key: string): string {
  return `property name ${quote(key)} is not allowed`;
}
export function tooFewContained(count: number, min: number): string {
  return `${count} items match contains (expected at least ${min})`;
}
export function tooManyContained(count: number, max: number): string {
  return `${count} items match contains (expected at most ${max})`;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value;
}

/** A value in a message. The value is the sender's, so it may be of any size, or no JSON at all. */
export function quote(value: unknown): string {
  return cut(write(value, 0, { left: limits.quotedText }));
}

function write(value: unknown, depth: number, budget: { left: number }): string {
  if (budget.left <= 0) return "…";
  if (typeof value === "string") {
    const text = JSON.stringify(value.length > budget.left ? `${value.slice(0, budget.left)}…` : value);
    budget.left -= text.length;
    return text;
  }
  budget.left -= 2;
  if (typeof value !== "object" || value === null) {
    return typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? typeof value);
  }
  if (depth > 20) return "…";
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      if (budget.left <= 0) break;
      parts.push(write(item, depth + 1, budget));
    }
    return `[${parts.join(",")}${parts.length < value.length ? ",…" : ""}]`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (budget.left <= 0) break;
    if (item !== undefined) parts.push(`${write(key, depth, budget)}:${write(item, depth + 1, budget)}`);
  }
  return `{${parts.join(",")}${budget.left <= 0 ? ",…" : ""}}`;
}

function cut(text: string): string {
  return text.length > limits.quotedText ? `${text.slice(0, limits.quotedText)}…` : text;
}
