import type { SchemaGraph } from "../read.ts";
import type { Violation } from "../types.ts";
import { check } from "./check.ts";
import { Run, TooMuchWork } from "./run.ts";

export type { Check } from "./check.ts";
export { isMultiple } from "./multiple.ts";
export { TooMuchWork } from "./run.ts";

/** Everything that is wrong with a value; an empty list where nothing is. */
export function explain(graph: SchemaGraph, value: unknown): Violation[] {
  const run = new Run({ explain: true, tracksMarks: tracksMarks(graph) });
  try {
    check(run, graph.root, value, undefined);
  } catch (thrown) {
    // The stack can end before our own count does, where we were called from deep down already.
    const reason = thrown instanceof RangeError ? TooMuchWork.depth() : thrown;
    if (!(reason instanceof TooMuchWork)) throw thrown;
    return [...run.violations, { path: "/", message: reason.message }];
  }
  return run.violations;
}

/** Whether a value is valid, without saying why not. @throws TooMuchWork */
export function holds(graph: SchemaGraph, value: unknown): boolean {
  return check(new Run({ explain: false, tracksMarks: tracksMarks(graph) }), graph.root, value, undefined);
}

export function tracksMarks(graph: SchemaGraph): boolean {
  return graph.nodes.some(
    (node) => node.unevaluatedItems !== undefined || node.unevaluatedProperties !== undefined,
  );
}
