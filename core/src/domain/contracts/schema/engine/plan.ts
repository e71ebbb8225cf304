import { limits } from "../limits.ts";
import { below, inPlace, type SchemaNode } from "../node.ts";
import type { SchemaGraph } from "../read.ts";

/** How a schema is to be judged. */
export type Plan =
  /** By walking it: it is very large, or compiled code is known to misjudge something in it. */
  | "walk"
  /** By compiled code. */
  | {
      /** Whether loops count their steps. Without, references still do. */
      readonly counted: boolean;
      /** Whether references are written out, and not called. */
      readonly inlined: boolean;
    };

/**
 * How often one value may be looked at before steps have to be counted. Below it, a payload's size alone
 * bounds the work.
 */
const MAX_LOOKS = 50;
/** How many subschemas a schema may have after its references were written out. */
const MAX_INLINED = 100;

export function planFor(graph: SchemaGraph): Plan {
  if (graph.nodes.some(needsWalking)) return "walk";
  const inlined = sizeWrittenOut(graph.root) <= MAX_INLINED;
  if (!inlined && graph.nodes.length > limits.compiledSubschemas) return "walk";
  return { inlined, counted: mostLooks(graph) > MAX_LOOKS };
}

const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Compiled code reads properties without asking whose they are, skips the name `__proto__`, does not miss the
 * name `""` where it is required, and keeps incomplete books on what was evaluated.
 */
function needsWalking(node: SchemaNode): boolean {
  if (node.unevaluatedItems || node.unevaluatedProperties) return true;
  if (node.patternProperties?.some(({ pattern }) => pattern.source === "__proto__")) return true;
  const named = [
    ...(node.required ?? []),
    ...(node.properties?.keys() ?? []),
    ...(node.dependentSchemas?.keys() ?? []),
    ...[...(node.dependentRequired ?? [])].flat(2),
  ];
  return named.some((name) => name === "" || inherited.has(name));
}

/** The number of ways from the root to its subschemas; infinite where references go round. */
export function sizeWrittenOut(root: SchemaNode): number {
  const known = new Map<SchemaNode, number>();
  const open = new Set<SchemaNode>();
  const count = (node: SchemaNode): number => {
    if (open.has(node)) return Number.POSITIVE_INFINITY;
    const cached = known.get(node);
    if (cached !== undefined) return cached;
    open.add(node);
    let size = 1;
    for (const list of [inPlace(node), below(node)]) for (const next of list) size += count(next);
    open.delete(node);
    known.set(node, size);
    return size;
  };
  return count(root);
}

/**
 * How often any single value can be looked at, at most. Subschemas of the same value add up, those of different
 * values do not. Where a schema is recursive, this is the least number that satisfies its own equation: a tree
 * has one, and a schema that tries each level in two ways has none.
 */
export function mostLooks({ root, nodes }: SchemaGraph): number {
  const here = memoised((node: SchemaNode, looksHere): number => {
    let looks = ownWeight(node);
    for (const one of inPlace(node)) looks += looksHere(one);
    return looks;
  });
  const deeper = new Map<SchemaNode, number>();
  const anywhere = (node: SchemaNode | undefined) => (node ? Math.max(here(node), deeper.get(node) ?? 0) : 0);
  // Children stand after their parents in the text, so going backwards most of it is settled in one round.
  const backwards = nodes.toReversed();
  for (let round = 0; round < MAX_LOOKS; round++) {
    let changed = false;
    for (const node of backwards) {
      let looks = looksBelow(node, anywhere);
      for (const one of inPlace(node)) looks += deeper.get(one) ?? 0;
      if (looks > MAX_LOOKS) looks = Number.POSITIVE_INFINITY;
      changed ||= looks !== deeper.get(node);
      deeper.set(node, looks);
    }
    if (!changed) return anywhere(root);
  }
  return Number.POSITIVE_INFINITY;
}

/** What a subschema's own keywords do to an item or property: to the one that gets the most. */
function looksBelow(node: SchemaNode, looksOf: (node: SchemaNode | undefined) => number): number {
  const apart = [
    ...(node.properties?.values() ?? []),
    ...(node.prefixItems ?? []),
    node.additionalProperties,
    node.items,
  ];
  const together = [
    node.contains,
    node.propertyNames,
    ...(node.patternProperties ?? []).map((entry) => entry.node),
  ];
  const most = apart.reduce((result, one) => Math.max(result, looksOf(one)), 0);
  return together.reduce((sum, one) => sum + looksOf(one), most);
}

function memoised(compute: (node: SchemaNode, again: (node: SchemaNode) => number) => number) {
  const known = new Map<SchemaNode, number>();
  const get = (node: SchemaNode): number => {
    const result = known.get(node) ?? compute(node, get);
    known.set(node, result);
    return result;
  };
  return get;
}

/** What a subschema costs by itself: keywords with long lists cost more than one step. */
export function ownWeight(node: SchemaNode): number {
  const dependents = [...(node.dependentRequired?.values() ?? [])];
  const names = dependents.reduce((sum, list) => sum + list.length, node.required?.length ?? 0);
  return 1 + ((names + (node.properties?.size ?? 0)) >> 5);
}

/** What one evaluation costs, apart from loops over the value and from what references lead to. */
export function flatWeight(node: SchemaNode): number {
  let weight = ownWeight(node);
  for (const next of inPlace(node)) if (next !== node.ref) weight += flatWeight(next);
  for (const next of node.properties?.values() ?? []) weight += flatWeight(next);
  for (const next of node.prefixItems ?? []) weight += flatWeight(next);
  return weight;
}
