import * as say from "../messages.ts";
import type { SchemaNode } from "../node.ts";
import { checkArray } from "./arrays.ts";
import { checkCombinations } from "./combinations.ts";
import { checkObject } from "./objects.ts";
import { Marks, type Run } from "./run.ts";
import { checkNumber, checkString, checkValue, isType } from "./scalars.ts";
import { checkUnevaluated } from "./unevaluated.ts";

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

function checkHere(run: Run, node: SchemaNode, value: unknown, marks: Marks | undefined): boolean {
  if (node.always !== undefined) return node.always || run.fail(say.nothingAllowed);
  if (node.types && !node.types.some((type) => isType(value, type))) {
    // Everything else about a value of the wrong type would follow from this.
    return run.fail(say.wrongType(node.types, value));
  }
  return run.every(checks, (one) => one(run, node, value, marks));
}

const checkReference: Check = (run, { ref }, value, marks) => !ref || check(run, ref, value, marks);

/** In the order in which violations are listed; what `unevaluated…` looks at must have been seen before it. */
const checks: readonly Check[] = [
  checkReference,
  checkValue,
  checkNumber,
  checkString,
  checkArray,
  checkObject,
  checkCombinations,
  checkUnevaluated,
];
