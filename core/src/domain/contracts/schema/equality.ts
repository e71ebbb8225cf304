import type { Json } from "./types.ts";

/** Takes steps from a budget; throws where it is spent. */
export type Spend = (steps: number) => void;

/** Equality as JSON Schema has it: by value, own properties only, in any order. As deep as `b`, which is bounded. */
export function equals(a: unknown, b: Json, spend: Spend): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(b)) {
    if (!Array.isArray(a) || a.length !== b.length) return false;
    return b.every((item, i) => equals(a[i], item, spend));
  }
  if (Array.isArray(a)) return false;
  const count = Object.keys(a).length;
  spend(count * 2);
  const keys = Object.keys(b);
  if (keys.length !== count) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, Json>];
  return keys.every((key) => Object.hasOwn(left, key) && equals(left[key], right[key] ?? null, spend));
}

/**
 * A text that is the same for equal values and different for others, so that a set can find duplicates
 * without comparing each with each.
 * @param visit is called once per value in it, with the depth; it throws where there is too much.
 */
export function fingerprint(value: unknown, visit: (depth: number) => void, depth = 0): string {
  visit(depth);
  if (typeof value !== "object" || value === null) {
    // Not JSON, but callers hand in what they have: keep such values apart from the strings that spell them.
    return JSON.stringify(value) ?? `<${typeof value}>`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => fingerprint(item, visit, depth + 1)).join(",")}]`;
  const own = value as Record<string, unknown>;
  const parts = Object.keys(own)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${fingerprint(own[key], visit, depth + 1)}`);
  return `{${parts.join(",")}}`;
}

/** Steps that visiting one value inside a fingerprint is worth. */
export const FINGERPRINT_STEPS = 16;

export type Membership = (value: unknown, spend: Spend) => boolean;

const FEW = 8;

/**
 * Whether a value is one of these. Scalars are looked up; where there are many structures, they are too, by
 * their fingerprints.
 */
export function membership(values: readonly Json[]): Membership {
  const scalars = new Set<unknown>(values.filter(isScalar));
  const structures = values.filter((value) => !isScalar(value));
  const depth = structures.reduce<number>((most, value) => Math.max(most, depthOf(value)), 0);
  const known =
    structures.length > FEW ? new Set(structures.map((value) => fingerprint(value, () => {}))) : undefined;
  return (value, spend) => {
    if (isScalar(value)) return scalars.has(value);
    if (!known) return structures.some((one) => equals(value, one, spend));
    if (deeperThan(value, depth, spend)) return false;
    return known.has(fingerprint(value, () => spend(FINGERPRINT_STEPS)));
  };
}

export function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function depthOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item)), 0);
}

function deeperThan(value: unknown, depth: number, spend: Spend): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth === 0) return true;
  const items = Object.values(value);
  spend(items.length);
  return items.some((item) => deeperThan(item, depth - 1, spend));
}
