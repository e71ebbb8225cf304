import { limits } from "../limits.ts";
import { below, inPlace, type SchemaNode } from "../node.ts";
import type { SchemaGraph } from "../read.ts";

/** How a schema is to be judged. */
export type Plan =
  /** By walking it: it is very large, or compiled code is known to misjudge something in it. */
  | "walk"
  /** By compiled code that counts its steps. */
  | "counted"
  /** By compiled code as it is. */
  | "plain";

/**
 * How often one value may be looked at before steps have to be counted. Below it, a payload's size alone
 * bounds the work.
 */
const MAX_LOOKS = 100;

export function planFor(graph: SchemaGraph): Plan {
  if (graph.nodes.some(needsWalking)) return "walk";
  if (looksAtOneValue(graph.root) <= MAX_LOOKS) return "plain";
  return graph.nodes.length <= limits.compiledSubschemas ? "counted" : "walk";
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

/**
 * The number of ways from the root to all subschemas, each weighed by what it does itself: no single value can
 * be looked at more often. Infinite where references go round.
 */
export function looksAtOneValue(root: SchemaNode): number {
  const known = new Map<SchemaNode, number>();
  const open = new Set<SchemaNode>();
  const count = (node: SchemaNode): number => {
    if (open.has(node)) return Number.POSITIVE_INFINITY;
    const cached = known.get(node);
    if (cached !== undefined) return cached;
    open.add(node);
    let looks = ownWeight(node);
    for (const list of [inPlace(node), below(node)]) for (const next of list) looks += count(next);
    open.delete(node);
    known.set(node, looks);
    return looks;
  };
  return count(root);
}

/** What a subschema costs by itself: keywords with long lists cost more than one step. */
export function ownWeight(node: SchemaNode): number {
  const dependents = [...(node.dependentRequired?.values() ?? [])];
  const names = dependents.reduce((sum, list) => sum + list.length, node.required?.length ?? 0);
  return 1 + ((names + (node.properties?.size ?? 0)) >> 3);
}

/** What one evaluation costs, apart from loops over the value and from what references lead to. */
export function flatWeight(node: SchemaNode): number {
  let weight = ownWeight(node);
  for (const next of inPlace(node)) if (next !== node.ref) weight += flatWeight(next);
  for (const next of node.properties?.values() ?? []) weight += flatWeight(next);
  for (const next of node.prefixItems ?? []) weight += flatWeight(next);
  return weight;
}
