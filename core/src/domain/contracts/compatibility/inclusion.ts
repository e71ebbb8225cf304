import type { Json, SchemaGraph, SchemaNode } from "#domain/contracts/schema/structure";
import { Classes } from "./classes.ts";
import { Search } from "./search/search.ts";

/**
 * Whether every value that one schema accepts is accepted by another. `yes` is proven; `no` comes with a value
 * that shows it; `unclear` means that neither was found.
 */
export type Inclusion =
  | { readonly verdict: "yes" }
  | { readonly verdict: "no"; readonly payload: Json }
  | { readonly verdict: "unclear" };

/** Enough for any schema that people write; what needs more is called unclear. */
const maxSteps = 50_000;

export function isIncluded(inner: SchemaGraph, outer: SchemaGraph): Inclusion {
  return between([inner], [outer]);
}

/** A payload that all of some schemas accept and all of others refuse; `yes` means that there is none. */
export function between(accepting: readonly SchemaGraph[], refusing: readonly SchemaGraph[]): Inclusion {
  const graphs = [...accepting, ...refusing];
  const classes = new Classes(graphs.map(({ root }) => root));
  const numbers = (list: readonly SchemaGraph[]) => list.map(({ root }) => classes.of(root));
  const nodes = graphs.flatMap((graph) => graph.nodes.filter(isMarked));
  const [first] = graphs;
  if (!first) return { verdict: "unclear" };
  const search = new Search(classes, { ...first, nodes }, maxSteps);
  const answer = search.solve({ all: numbers(accepting), none: numbers(refusing) });
  if (answer.kind === "empty") return { verdict: "yes" };
  return answer.kind === "value" ? { verdict: "no", payload: answer.value } : { verdict: "unclear" };
}

/** The only nodes that the evaluation wants to know about beforehand. */
function isMarked(node: SchemaNode): boolean {
  return node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined;
}
