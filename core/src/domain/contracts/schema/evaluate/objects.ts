import * as say from "../messages.ts";
import type { SchemaNode } from "../node.ts";
import { type Check, check } from "./check.ts";
import type { Marks, Run } from "./run.ts";
import { isRecord } from "./scalars.ts";

type ObjectCheck = (
  run: Run,
  node: SchemaNode,
  value: Record<string, unknown>,
  marks: Marks | undefined,
) => boolean;

export const checkObject: Check = (run, node, value, marks) => {
  if (!isRecord(value)) return true;
  return run.every(checks, (one) => one(run, node, value, marks));
};

/** Own and not undefined: what JSON would carry. An inherited property is none. */
export function has(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

export function keysOf(value: Record<string, unknown>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

const checkRequired: ObjectCheck = (run, { required = [] }, value) =>
  run.every(required, (key) => has(value, key) || run.fail(say.missing(key), key));

const checkDependentRequired: ObjectCheck = (run, { dependentRequired = [] }, value) =>
  run.every(dependentRequired, ([key, needed]) => {
    if (!has(value, key)) return true;
    return run.every(needed, (other) => has(value, other) || run.fail(say.missingBeside(other, key), other));
  });

const checkSize: ObjectCheck = (run, { minProperties, maxProperties }, value) => {
  if (minProperties === undefined && maxProperties === undefined) return true;
  const size = keysOf(value).length;
  if (minProperties !== undefined && size < minProperties) {
    return run.fail(`${size} properties < minProperties ${minProperties}`);
  }
  if (maxProperties !== undefined && size > maxProperties) {
    return run.fail(`${size} properties > maxProperties ${maxProperties}`);
  }
  return true;
};

const checkProperties: ObjectCheck = (run, { properties = [] }, value, marks) =>
  run.every(properties, ([key, schema]) => {
    if (!has(value, key)) return true;
    marks?.properties.add(key);
    return run.at(key, () => check(run, schema, value[key], undefined));
  });

/** The keywords that look at every property there is. */
const checkEachProperty: ObjectCheck = (run, node, value, marks) => {
  const { patternProperties = [], additionalProperties, propertyNames } = node;
  if (patternProperties.length === 0 && !additionalProperties && !propertyNames) return true;
  return run.every(keysOf(value), (key) => {
    run.spend(1);
    let known = node.properties?.has(key) ?? false;
    let valid = !propertyNames || run.quietly(() => check(run, propertyNames, key, undefined));
    if (!valid) run.fail(say.badName(key), key);
    for (const { pattern, node: schema } of patternProperties) {
      run.spend(pattern.cost(key));
      if (!pattern.test(key)) continue;
      known = true;
      if (!run.at(key, () => check(run, schema, value[key], undefined))) valid = false;
    }
    if (known || additionalProperties) marks?.properties.add(key);
    if (known || !additionalProperties) return valid;
    if (additionalProperties.always === false) return run.fail(say.additional(key), key);
    return run.at(key, () => check(run, additionalProperties, value[key], undefined)) && valid;
  });
};

const checkDependentSchemas: ObjectCheck = (run, { dependentSchemas = [] }, value, marks) =>
  run.every(dependentSchemas, ([key, schema]) => !has(value, key) || check(run, schema, value, marks));

const checks = [
  checkRequired,
  checkDependentRequired,
  checkSize,
  checkProperties,
  checkEachProperty,
  checkDependentSchemas,
];
