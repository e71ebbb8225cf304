import type { SchemaNode } from "../node.ts";

/** What a node carries beside its keywords. */
const bookkeeping = new Set(["path", "checks", "isMember"]);

/** Whether a node asks nothing of a value, apart from what a reference in it asks. */
export function asksNothingItself(node: SchemaNode): boolean {
  return Object.entries(node).every(
    ([key, value]) => value === undefined || key === "ref" || bookkeeping.has(key),
  );
}

/** Where a chain of nodes ends that say nothing but "see there". The reader has made sure that it does. */
export function endOf(node: SchemaNode): SchemaNode {
  let end = node;
  while (end.ref && asksNothingItself(end)) end = end.ref;
  return end;
}
