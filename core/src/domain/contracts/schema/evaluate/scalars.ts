import { equals, type Spend } from "../equality.ts";
import { formats } from "../formats.ts";
import * as say from "../messages.ts";
import type { SchemaType } from "../types.ts";
import type { Check } from "./check.ts";
import { isMultiple } from "./multiple.ts";

function isType(value: unknown, type: SchemaType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const checkType: Check = (run, { types = [] }, value) =>
  types.some((type) => isType(value, type)) || run.fail(say.wrongType(types, value));

export const checkValue: Check = (run, node, value) => {
  let valid = true;
  const spend: Spend = (steps) => run.spend(steps);
  if (node.const && !equals(value, node.const.value, spend)) {
    valid = run.fail(say.notConst(node.const.value, run.quoted(value)));
  }
  if (node.enum && !node.isMember?.(value, spend)) {
    valid = run.fail(say.notInEnum(node.enum));
  }
  return valid;
};

export const checkNumber: Check = (run, node, value) => {
  if (typeof value !== "number" || !Number.isFinite(value)) return true;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  let valid = true;
  if (minimum !== undefined && value < minimum) valid = run.fail(`${value} < minimum ${minimum}`);
  if (maximum !== undefined && value > maximum) valid = run.fail(`${value} > maximum ${maximum}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    valid = run.fail(`${value} <= exclusiveMinimum ${exclusiveMinimum}`);
  }
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) {
    valid = run.fail(`${value} >= exclusiveMaximum ${exclusiveMaximum}`);
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    valid = run.fail(`${value} is not a multiple of ${multipleOf}`);
  }
  return valid;
};

export const checkString: Check = (run, node, value) => {
  if (typeof value !== "string") return true;
  const { minLength, maxLength, pattern, format } = node;
  let valid = true;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(value);
    if (minLength !== undefined && length < minLength) {
      valid = run.fail(`string length ${length} < minLength ${minLength}`);
    }
    if (maxLength !== undefined && length > maxLength) {
      valid = run.fail(`string length ${length} > maxLength ${maxLength}`);
    }
  }
  if (pattern) {
    run.spend(pattern.cost(value));
    if (!pattern.test(value)) valid = run.fail(say.noMatch(pattern.source));
  }
  if (format && !formats[format].test(value)) valid = run.fail(say.wrongFormat(format));
  return valid;
};

/** Length as people count it: a surrogate pair is one character. */
function codePoints(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}
