import { FINGERPRINT_STEPS, fingerprint } from "../equality.ts";
import { limits } from "../limits.ts";
import * as say from "../messages.ts";
import { type Check, checkAt, holds } from "./check.ts";
import { TooMuchWork } from "./run.ts";

export const checkItemsCount: Check = (run, { minItems, maxItems }, value) => {
  if (!Array.isArray(value)) return true;
  const { length } = value;
  if (minItems !== undefined && length < minItems) {
    return run.fail(`array length ${length} < minItems ${minItems}`);
  }
  if (maxItems !== undefined && length > maxItems) {
    return run.fail(`array length ${length} > maxItems ${maxItems}`);
  }
  return true;
};

export const checkItems: Check = (run, { prefixItems = [], items }, value, marks) => {
  if (!Array.isArray(value)) return true;
  const looked = items ? value.length : Math.min(prefixItems.length, value.length);
  if (marks) marks.upTo = Math.max(marks.upTo, looked);
  let valid = true;
  for (let i = 0; i < looked; i++) {
    const schema = prefixItems[i] ?? items;
    if (!schema || checkAt(run, i, schema, value[i])) continue;
    if (!run.explaining) return false;
    valid = false;
  }
  return valid;
};

export const checkContains: Check = (run, { contains, minContains = 1, maxContains }, value, marks) => {
  if (!contains || !Array.isArray(value)) return true;
  let count = 0;
  for (const [i, item] of value.entries()) {
    if (!holds(run, contains, item, undefined)) continue;
    count++;
    marks?.items.add(i);
  }
  if (count < minContains) return run.fail(say.tooFewContained(count, minContains));
  if (maxContains !== undefined && count > maxContains) {
    return run.fail(say.tooManyContained(count, maxContains));
  }
  return true;
};

export const checkUnique: Check = (run, { uniqueItems }, value) => {
  if (!uniqueItems || !Array.isArray(value)) return true;
  const seen = new Set<string>();
  return run.every(value.entries(), ([i, item]) => {
    const text = fingerprint(item, (depth) => {
      run.spend(FINGERPRINT_STEPS);
      if (depth > limits.refDepth) throw TooMuchWork.depth();
    });
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew || run.fail("duplicate item", i);
  });
};
