import type { Json } from "#domain/contracts/schema/structure";
import { canonicalText } from "../canonical.ts";
import type { Demands } from "./demands.ts";
import { type Answer, empty, type Solve, unknown } from "./formula.ts";

/** More items than this are not written out. */
const maxWritten = 64;

export function findArray(demands: Demands, solve: Solve): Answer {
  const { maxItems, items, failingItems, unique, repeated } = demands;
  if (unique && repeated) return empty;
  const minItems = Math.max(demands.minItems, failingItems.length > 0 ? 1 : 0, repeated ? 2 : 0);
  if (minItems > maxItems) return empty;
  const found: Json[] = [];
  let certain = true;
  const take = (none: readonly number[]): Answer => {
    const answer = solve({
      all: items,
      none,
      ...(unique && found.length > 0 ? { excluded: [...found] } : {}),
    });
    if (answer.kind === "value") found.push(answer.value);
    else if (answer.kind === "unknown") certain = false;
    return answer;
  };
  for (const fails of failingItems) {
    // What one failing item rules out for the next says nothing about whether there is one at all.
    const alone = solve({ all: items, none: [fails] });
    if (alone.kind === "empty") return empty;
    if (take([fails]).kind === "empty") certain = false;
  }
  while (found.length < minItems) {
    if (found.length >= maxWritten) return unknown;
    const [first] = found;
    if (!unique && first !== undefined) {
      found.push(first);
      continue;
    }
    const answer = take([]);
    // Where items must differ, this also says that there are too few values to go round: but only if those
    // already taken were not chosen for another reason.
    if (answer.kind === "empty" && failingItems.length === 0) return empty;
    if (answer.kind !== "value") return unknown;
  }
  if (!certain) return unknown;
  const [first] = found;
  const hasTwins = new Set(found.map(canonicalText)).size < found.length;
  if (repeated && first !== undefined && !hasTwins) found.push(first);
  return { kind: "value", value: found };
}
