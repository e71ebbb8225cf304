import * as say from "../messages.ts";
import { type Check, check } from "./check.ts";
import { keysOf } from "./objects.ts";
import { isRecord } from "./scalars.ts";

export const checkUnevaluated: Check = (run, node, value, marks) => {
  if (!marks) return true;
  return run.every([checkItems, checkProperties], (one) => one(run, node, value, marks));
};

const checkItems: Check = (run, { unevaluatedItems }, value, marks) => {
  if (!unevaluatedItems || !marks || !Array.isArray(value)) return true;
  const valid = run.every(value.entries(), ([i, item]) => {
    if (i < marks.upTo || marks.items.has(i)) return true;
    if (unevaluatedItems.always === false) return run.fail(say.unevaluatedItem, i);
    return run.at(i, () => check(run, unevaluatedItems, item, undefined));
  });
  marks.upTo = value.length;
  return valid;
};

const checkProperties: Check = (run, { unevaluatedProperties }, value, marks) => {
  if (!unevaluatedProperties || !marks || !isRecord(value)) return true;
  return run.every(keysOf(value), (key) => {
    if (marks.properties.has(key)) return true;
    marks.properties.add(key);
    if (unevaluatedProperties.always === false) return run.fail(say.unevaluated(key), key);
    return run.at(key, () => check(run, unevaluatedProperties, value[key], undefined));
  });
};
