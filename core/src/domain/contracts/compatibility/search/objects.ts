import type { Json } from "#domain/contracts/schema/structure";
import type { Demands } from "./demands.ts";
import { type Answer, empty, type Formula, type Solve, unknown } from "./formula.ts";

export function findObject(demands: Demands, solve: Solve): Answer {
  const { required, absent, failing } = demands;
  for (const key of [...required, ...failing.keys()]) if (absent.has(key)) return empty;
  const fails = new Map(failing);
  let certain = true;
  for (const { beside, fails: failed } of demands.failingExtras) {
    const place = placeFor(demands, fails, beside, failed, solve);
    if (place === "nowhere") return empty;
    if (place === "unclear") certain = false;
    else fails.set(place.key, [...(fails.get(place.key) ?? []), failed]);
  }
  const entries: [string, Json][] = [];
  for (const key of new Set([...required, ...fails.keys()])) {
    const answer = solve(formulaOf(demands, key, fails.get(key) ?? []));
    if (answer.kind === "value") entries.push([key, answer.value]);
    // What was put on top of one another above may clash without there being no other way.
    else if (answer.kind === "empty" && isSure(demands, key, fails)) return empty;
    else certain = false;
  }
  return certain ? { kind: "value", value: objectOf(entries) } : unknown;
}

/** Where the further property that fails something can be. */
function placeFor(
  demands: Demands,
  fails: ReadonlyMap<string, readonly number[]>,
  beside: ReadonlySet<string>,
  failed: number,
  solve: Solve,
): { readonly key: string } | "nowhere" | "unclear" {
  const known = new Set([...demands.required, ...fails.keys()]);
  for (const { properties } of demands.shapes) for (const key of properties.keys()) known.add(key);
  const keys = [freshKey(known, beside, demands.absent), ...known].filter(
    (key) => !beside.has(key) && !demands.absent.has(key),
  );
  let place: "nowhere" | "unclear" = "nowhere";
  for (const key of keys) {
    const answer = solve(formulaOf(demands, key, [...(demands.failing.get(key) ?? []), failed]));
    if (answer.kind === "value") return { key };
    if (answer.kind === "unknown") place = "unclear";
  }
  return place;
}

/** What the value of one property has to satisfy. A place where no property may be asks for the impossible. */
function formulaOf(demands: Demands, key: string, none: readonly number[]): Formula {
  const all: number[] = [];
  for (const { properties, additional } of demands.shapes) {
    const own = properties.get(key) ?? additional;
    if (own !== undefined) all.push(own);
  }
  return { all, none };
}

function isSure(demands: Demands, key: string, fails: ReadonlyMap<string, readonly number[]>): boolean {
  return (fails.get(key)?.length ?? 0) === (demands.failing.get(key)?.length ?? 0);
}

function freshKey(...taken: ReadonlySet<string>[]): string {
  for (let i = 1; ; i++) {
    const key = i === 1 ? "extra" : `extra${i}`;
    if (!taken.some((set) => set.has(key))) return key;
  }
}

/** Own properties only, also for a key such as `__proto__`. */
function objectOf(entries: readonly [string, Json][]): Json {
  return Object.fromEntries(entries);
}
