import * as say from "../messages.ts";
import type { SchemaNode } from "../node.ts";
import { checkContains, checkItems, checkItemsCount, checkUnique } from "./arrays.ts";
import { checkAllOf, checkAnyOf, checkIf, checkNot, checkOneOf } from "./combinations.ts";
import * as objects from "./objects.ts";
import { Marks, type Run } from "./run.ts";
import { checkNumber, checkString, checkType, checkValue } from "./scalars.ts";
import { checkUnevaluatedItems, checkUnevaluatedProperties } from "./unevaluated.ts";

export type Check = (run: Run, node: SchemaNode, value: unknown, marks: Marks | undefined) => boolean;

/**
 * Checks a value by walking the schema. Slower than compiled code, and able to say everything that is wrong:
 * it explains refusals, and judges where the compiled engine is known to be wrong.
 * @throws TooMuchWork
 */
export const check: Check = (run, node, value, marks) => {
  run.enter();
  // Its own marks first: what one subschema has looked at is not known to its neighbours, only to its parent,
  // and to that only if it holds.
  const own = run.tracksMarks ? new Marks() : undefined;
  const valid = checkHere(run, node, value, own);
  if (valid && own) marks?.add(own);
  run.leave();
  return valid;
};

/** The same for an item or property of the value at hand. */
export function checkAt(run: Run, key: string | number, node: SchemaNode, value: unknown): boolean {
  run.down(key);
  const valid = check(run, node, value, undefined);
  run.up();
  return valid;
}

/** A yes or no, without a word about why. */
export const holds: Check = (run, node, value, marks) => {
  const { explaining } = run;
  run.explaining = false;
  const valid = check(run, node, value, marks);
  run.explaining = explaining;
  return valid;
};

function checkHere(run: Run, node: SchemaNode, value: unknown, marks: Marks | undefined): boolean {
  node.checks ??= checksFor(node);
  // Everything else about a value of the wrong type would follow from that.
  if (node.types && !checkType(run, node, value, marks)) return false;
  let valid = true;
  for (const one of node.checks) {
    if (one(run, node, value, marks)) continue;
    if (!run.explaining) return false;
    valid = false;
  }
  return valid;
}

const checkAlways: Check = (run, { always }) => always === true || run.fail(say.nothingAllowed);
const checkReference: Check = (run, { ref }, value, marks) => !ref || check(run, ref, value, marks);

/** In the order in which violations are listed; what `unevaluated…` looks at must have been seen before it. */
const checks: readonly (readonly [Check, readonly (keyof SchemaNode)[]])[] = [
  [checkAlways, ["always"]],
  [checkReference, ["ref"]],
  [checkValue, ["const", "enum"]],
  [checkNumber, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  [checkString, ["minLength", "maxLength", "pattern", "format"]],
  [checkItemsCount, ["minItems", "maxItems"]],
  [checkItems, ["prefixItems", "items"]],
  [checkContains, ["contains"]],
  [checkUnique, ["uniqueItems"]],
  [objects.checkRequired, ["required"]],
  [objects.checkDependentRequired, ["dependentRequired"]],
  [objects.checkSize, ["minProperties", "maxProperties"]],
  [objects.checkProperties, ["properties"]],
  [objects.checkEachProperty, ["patternProperties", "additionalProperties", "propertyNames"]],
  [objects.checkDependentSchemas, ["dependentSchemas"]],
  [checkAllOf, ["allOf"]],
  [checkAnyOf, ["anyOf"]],
  [checkOneOf, ["oneOf"]],
  [checkNot, ["not"]],
  [checkIf, ["if"]],
  [checkUnevaluatedItems, ["unevaluatedItems"]],
  [checkUnevaluatedProperties, ["unevaluatedProperties"]],
];

function checksFor(node: SchemaNode): readonly Check[] {
  return checks.filter(([, keys]) => keys.some((key) => node[key] !== undefined)).map(([one]) => one);
}
