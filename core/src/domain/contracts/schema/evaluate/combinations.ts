import type { SchemaNode } from "../node.ts";
import { type Check, check } from "./check.ts";
import type { Marks, Run } from "./run.ts";

export const checkCombinations: Check = (run, node, value, marks) => {
  return run.every([checkAllOf, checkAnyOf, checkOneOf, checkNot, checkIf], (one) =>
    one(run, node, value, marks),
  );
};

const checkAllOf: Check = (run, { allOf = [] }, value, marks) =>
  run.every(allOf, (schema) => check(run, schema, value, marks));

const checkAnyOf: Check = (run, { anyOf }, value, marks) => {
  if (!anyOf) return true;
  // Where marks are kept, each branch that holds may have looked at properties that the others did not.
  const enough = marks ? Number.POSITIVE_INFINITY : 1;
  return matching(run, anyOf, value, marks, enough) > 0 || run.fail("anyOf matched zero schemas");
};

const checkOneOf: Check = (run, { oneOf }, value, marks) => {
  if (!oneOf) return true;
  const count = matching(run, oneOf, value, marks, run.explaining ? Number.POSITIVE_INFINITY : 2);
  return count === 1 || run.fail(`oneOf matched ${count} schemas (expected exactly 1)`);
};

const checkNot: Check = (run, { not }, value) =>
  !not || !run.quietly(() => check(run, not, value, undefined)) || run.fail("not-schema matched");

const checkIf: Check = (run, node, value, marks) => {
  const condition = node.if;
  if (!condition) return true;
  const branch = run.quietly(() => check(run, condition, value, marks)) ? node.then : node.else;
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
    if (run.quietly(() => check(run, schema, value, marks))) count++;
    if (count >= enough) break;
  }
  return count;
}
