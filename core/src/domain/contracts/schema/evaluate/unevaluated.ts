import * as say from "../messages.ts";
import { type Check, checkAt } from "./check.ts";
import { keysOf } from "./objects.ts";
import { isRecord } from "./scalars.ts";

export const checkUnevaluatedItems: Check = (run, { unevaluatedItems }, value, marks) => {
  if (!unevaluatedItems || !marks || !Array.isArray(value)) return true;
  const valid = run.every(value.entries(), ([i, item]) => {
    if (i < marks.upTo || marks.items.has(i)) return true;
    if (unevaluatedItems.always === false) return run.fail(say.unevaluatedItem, i);
    return checkAt(run, i, unevaluatedItems, item);
  });
  marks.upTo = value.length;
  return valid;
};

export const checkUnevaluatedProperties: Check = (run, { unevaluatedProperties }, value, marks) => {
  if (!unevaluatedProperties || !marks || !isRecord(value)) return true;
  return run.every(keysOf(run, value), (key) => {
    if (marks.properties.has(key)) return true;
    marks.properties.add(key);
    if (unevaluatedProperties.always === false) return run.fail(say.unevaluated(key), key);
    return checkAt(run, key, unevaluatedProperties, value[key]);
  });
};
