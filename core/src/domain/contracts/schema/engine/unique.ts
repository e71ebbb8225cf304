import { FINGERPRINT_STEPS, fingerprint, isScalar } from "../equality.ts";
import { TooMuchWork } from "../evaluate/index.ts";
import { limits } from "../limits.ts";
import type { Budget } from "./budget.ts";

const FEW = 12;

/** Whether all items differ. Linear in the size of the value, where comparing each with each is not. */
export function allDifferent(items: readonly unknown[], budget: Budget): boolean {
  if (items.length <= FEW && items.every(isScalar)) return fewDiffer(items);
  const seen = new Set<unknown>();
  for (const item of items) {
    budget.spend(FINGERPRINT_STEPS);
    const key = keyOf(item, budget);
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function fewDiffer(scalars: readonly unknown[]): boolean {
  for (let i = 1; i < scalars.length; i++) {
    for (let j = 0; j < i; j++) if (scalars[i] === scalars[j]) return false;
  }
  return true;
}

/** Numbers, booleans and null stand for themselves; texts begin in a way that keeps them apart. */
function keyOf(item: unknown, budget: Budget): unknown {
  if (typeof item === "string") return `"${item}`;
  if (isScalar(item)) return item;
  return fingerprint(item, (depth) => {
    budget.spend(FINGERPRINT_STEPS);
    if (depth > limits.refDepth) throw TooMuchWork.depth();
  });
}
