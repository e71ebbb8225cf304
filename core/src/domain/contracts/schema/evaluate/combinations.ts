import type { SchemaNode } from "../node.ts";
import { type Check, check, holds } from "./check.ts";
import type { Marks, Run } from "./run.ts";

export const checkAllOf: Check = (run, { allOf = [] }, value, marks) =>
  run.every(allOf, (schema) => check(run, schema, value, marks));

export const checkAnyOf: Check = (run, { anyOf = [] }, value, marks) => {
  // Where marks are kept, each branch that holds may have looked at properties that the others did not.
  const enough = marks ? Number.POSITIVE_INFINITY : 1;
  return matching(run, anyOf, value, marks, enough) > 0 || run.fail("anyOf matched zero schemas");
};

export const checkOneOf: Check = (run, { oneOf = [] }, value, marks) => {
  const count = matching(run, oneOf, value, marks, run.explaining ? Number.POSITIVE_INFINITY : 2);
  return count === 1 || run.fail(`oneOf matched ${count} schemas (expected exactly 1)`);
};

export const checkNot: Check = (run, { not }, value) =>
  !not || !holds(run, not, value, undefined) || run.fail("not-schema matched");

export const checkIf: Check = (run, node, value, marks) => {
  if (!node.if) return true;
  const branch = holds(run, node.if, value, marks) ? node.then : node.else;
  return !branch || check(run, branch, value, marks);
};

function matching(
  run: Run,
  schemas: readonly SchemaNode[],
  value: unknown,
  marks: Marks | undefined,
  enough: number,
): number {
  let count = 0;
  for (const schema of schemas) {
    if (holds(run, schema, value, marks)) count++;
    if (count >= enough) break;
  }
  return count;
}
