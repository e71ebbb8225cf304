import * as say from "../messages.ts";
import { type Check, check, checkAt, holds } from "./check.ts";
import type { Run } from "./run.ts";
import { isRecord } from "./scalars.ts";

/** Listing the keys of a large object costs far more than a check. */
const KEY_STEPS = 4;

/** Own and not undefined: what JSON would carry. An inherited property is none. */
function has(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

export function keysOf(run: Run, value: Record<string, unknown>): string[] {
  const keys = Object.keys(value);
  run.spend(keys.length * KEY_STEPS);
  return keys.filter((key) => value[key] !== undefined);
}

export const checkRequired: Check = (run, { required = [] }, value) => {
  if (!isRecord(value)) return true;
  run.spend(required.length >> 3);
  return run.every(required, (key) => has(value, key) || run.fail(say.missing(key), key));
};

export const checkDependentRequired: Check = (run, { dependentRequired = [] }, value) => {
  if (!isRecord(value)) return true;
  return run.every(dependentRequired, ([key, needed]) => {
    if (!has(value, key)) return true;
    run.spend(needed.length >> 3);
    return run.every(needed, (other) => has(value, other) || run.fail(say.missingBeside(other, key), other));
  });
};

export const checkSize: Check = (run, { minProperties, maxProperties }, value) => {
  if (!isRecord(value)) return true;
  const size = keysOf(run, value).length;
  if (minProperties !== undefined && size < minProperties) {
    return run.fail(`${size} properties < minProperties ${minProperties}`);
  }
  if (maxProperties !== undefined && size > maxProperties) {
    return run.fail(`${size} properties > maxProperties ${maxProperties}`);
  }
  return true;
};

export const checkProperties: Check = (run, { properties = [] }, value, marks) => {
  if (!isRecord(value)) return true;
  let valid = true;
  for (const [key, schema] of properties) {
    if (!has(value, key)) continue;
    marks?.properties.add(key);
    if (checkAt(run, key, schema, value[key])) continue;
    if (!run.explaining) return false;
    valid = false;
  }
  return valid;
};

/** The keywords that look at every property there is. */
export const checkEachProperty: Check = (run, node, value, marks) => {
  const { patternProperties = [], additionalProperties, propertyNames } = node;
  if (!isRecord(value)) return true;
  return run.every(keysOf(run, value), (key) => {
    let known = node.properties?.has(key) ?? false;
    let valid = !propertyNames || holds(run, propertyNames, key, undefined);
    if (!valid) run.fail(say.badName(key), key);
    for (const { pattern, node: schema } of patternProperties) {
      run.spend(pattern.cost(key));
      if (!pattern.test(key)) continue;
      known = true;
      if (!checkAt(run, key, schema, value[key])) valid = false;
    }
    if (known || additionalProperties) marks?.properties.add(key);
    if (known || !additionalProperties) return valid;
    if (additionalProperties.always === false) return run.fail(say.additional(key), key);
    return checkAt(run, key, additionalProperties, value[key]) && valid;
  });
};

export const checkDependentSchemas: Check = (run, { dependentSchemas = [] }, value, marks) => {
  if (!isRecord(value)) return true;
  return run.every(dependentSchemas, ([key, schema]) => !has(value, key) || check(run, schema, value, marks));
};
