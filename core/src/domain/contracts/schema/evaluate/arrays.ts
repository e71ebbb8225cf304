import { fingerprint } from "../equality.ts";
import { limits } from "../limits.ts";
import * as say from "../messages.ts";
import type { SchemaNode } from "../node.ts";
import { type Check, check } from "./check.ts";
import { type Marks, type Run, TooMuchWork } from "./run.ts";

export const checkArray: Check = (run, node, value, marks) => {
  if (!Array.isArray(value)) return true;
  const { minItems, maxItems } = node;
  let valid = true;
  if (minItems !== undefined && value.length < minItems) {
    valid = run.fail(`array length ${value.length} < minItems ${minItems}`);
  }
  if (maxItems !== undefined && value.length > maxItems) {
    valid = run.fail(`array length ${value.length} > maxItems ${maxItems}`);
  }
  if (!valid && !run.explaining) return false;
  const rest = [checkItems, checkContains, checkUnique];
  return run.every(rest, (one) => one(run, node, value, marks)) && valid;
};

type ArrayCheck = (
  run: Run,
  node: SchemaNode,
  value: readonly unknown[],
  marks: Marks | undefined,
) => boolean;

const checkItems: ArrayCheck = (run, { prefixItems = [], items }, value, marks) => {
  const looked = items ? value.length : Math.min(prefixItems.length, value.length);
  if (marks) marks.upTo = Math.max(marks.upTo, looked);
  return run.every(value.slice(0, looked).entries(), ([i, item]) => {
    const schema = prefixItems[i] ?? items;
    return !schema || run.at(i, () => check(run, schema, item, undefined));
  });
};

const checkContains: ArrayCheck = (run, { contains, minContains = 1, maxContains }, value, marks) => {
  if (!contains) return true;
  let count = 0;
  for (const [i, item] of value.entries()) {
    if (!run.quietly(() => check(run, contains, item, undefined))) continue;
    count++;
    marks?.items.add(i);
  }
  if (count < minContains) return run.fail(say.tooFewContained(count, minContains));
  if (maxContains !== undefined && count > maxContains) {
    return run.fail(say.tooManyContained(count, maxContains));
  }
  return true;
};

const checkUnique: ArrayCheck = (run, { uniqueItems }, value) => {
  if (!uniqueItems) return true;
  const seen = new Set<string>();
  return run.every(value.entries(), ([i, item]) => {
    const text = fingerprint(item, (depth) => {
      run.spend(1);
      if (depth > limits.checkDepth) throw TooMuchWork.depth();
    });
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew || run.fail("duplicate item", i);
  });
};
