import { type Json, type JsonObject, readSchema, type SchemaGraph } from "#domain/contracts/schema/structure";
import { StoaError } from "#platform/errors";
import { type Edit, editsBetween } from "./edits.ts";
import { between, type Inclusion, isIncluded } from "./inclusion.ts";

/** What a change means for one side of the contract. */
export type Effect =
  | { readonly verdict: "compatible" }
  /** `payload` proves it; where none was found, the change could not be shown to be harmless either. */
  | { readonly verdict: "breaking"; readonly reason: string; readonly payload?: Json };

export interface SchemaChange {
  readonly path: string;
  readonly summary: string;
  /** For those who send values of the schema: does what was accepted before still get through? */
  readonly accepting: Effect;
  /** For those who receive them: is what may come now something they already knew? */
  readonly producing: Effect;
}

const compatible: Effect = { verdict: "compatible" };

/** Beyond so many changes in one schema, the rest is judged as a whole. */
const maxJudgedAlone = 100;

/** Every change between two schemas, and what it does. A schema that is absent accepts everything. */
export function assess(before: unknown, after: unknown): SchemaChange[] {
  const [old, now] = [before ?? {}, after ?? {}] as [Json, Json];
  const [oldGraph, newGraph] = [graphOf(old), graphOf(now)];
  const edits =
    before === undefined || after === undefined ? wholeSchema(before, after) : editsBetween(old, now);
  if (edits.length === 0) return [];
  const accepting = isIncluded(oldGraph, newGraph);
  const producing = isIncluded(newGraph, oldGraph);
  let judged = 0;
  const changes = edits.map((edit): SchemaChange => {
    const { path, summary, isInert } = edit;
    if (isInert) return { path, summary, accepting: compatible, producing: compatible };
    if (++judged > maxJudgedAlone) {
      return {
        path,
        summary,
        accepting: effectOf(accepting, refusedNow, () => accepting),
        producing: effectOf(producing, possibleNow, () => producing),
      };
    }
    const applied = tryGraph(withDefinitions(edit.applied, now));
    const undone = tryGraph(withDefinitions(edit.undone, old));
    return {
      path,
      summary,
      accepting: effectOf(accepting, refusedNow, () => lost(oldGraph, newGraph, applied, undone)),
      producing: effectOf(producing, possibleNow, () => lost(newGraph, oldGraph, undone, applied)),
    };
  });
  return [...changes, ...together(changes, accepting, producing)];
}

/**
 * What one change takes away, from `inner` to `outer`, which differ by more than it: `applied` is the one with
 * the change made, `undone` the other without. The change alone decides; the payload should show it in both.
 */
function lost(
  inner: SchemaGraph,
  outer: SchemaGraph,
  applied: SchemaGraph | undefined,
  undone: SchemaGraph | undefined,
): Inclusion {
  if (!applied || !undone) return isIncluded(inner, outer);
  const alone = isIncluded(inner, applied);
  if (alone.verdict === "yes") return alone;
  for (const found of [between([inner], [applied, outer]), between([inner, undone], [outer])]) {
    if (found.verdict === "no") return found;
  }
  return { verdict: "unclear" };
}

const refusedNow = "accepted before, refused now";
const possibleNow = "refused before, possible now";

function effectOf(all: Inclusion, proof: string, single: () => Inclusion): Effect {
  if (all.verdict === "yes") return compatible;
  const found = single();
  if (found.verdict === "yes") return compatible;
  if (found.verdict === "no") return { verdict: "breaking", reason: proof, payload: found.payload };
  return { verdict: "breaking", reason: "could not be shown to be harmless" };
}

/** Changes that are harmless one by one and not all at once. */
function together(
  changes: readonly SchemaChange[],
  accepting: Inclusion,
  producing: Inclusion,
): SchemaChange[] {
  const missed = (all: Inclusion, side: "accepting" | "producing") =>
    all.verdict !== "yes" && changes.every((change) => change[side].verdict === "compatible");
  const [narrower, wider] = [missed(accepting, "accepting"), missed(producing, "producing")];
  if (!narrower && !wider) return [];
  return [
    {
      path: "/",
      summary: "the changes taken together",
      accepting: narrower ? effectOf(accepting, refusedNow, () => accepting) : compatible,
      producing: wider ? effectOf(producing, possibleNow, () => producing) : compatible,
    },
  ];
}

function wholeSchema(before: unknown, after: unknown): Edit[] {
  if (before === undefined && after === undefined) return [];
  const summary = before === undefined ? "a schema where there was none" : "the schema removed";
  const [applied, undone] = [after ?? {}, before ?? {}] as [Json, Json];
  return [{ path: "/", summary, isInert: false, applied, undone }];
}

/** A change may refer to definitions that another change brings. */
function withDefinitions(schema: Json, other: Json): Json {
  if (!isObject(schema) || !isObject(other)) return schema;
  const merged: [string, Json][] = [];
  for (const keyword of ["definitions", "$defs"]) {
    const [own, more] = [schema[keyword], other[keyword]];
    if (more !== undefined && isObject(more)) {
      merged.push([keyword, { ...more, ...(own !== undefined && isObject(own) ? own : {}) }]);
    }
  }
  return { ...schema, ...Object.fromEntries(merged) };
}

function graphOf(schema: Json): SchemaGraph {
  const { graph, problems } = readSchema(schema, "subset");
  if (graph) return graph;
  const listed = problems.map(({ path, message }) => `${message} at ${path}`).join("; ");
  throw new StoaError("SCHEMA_INVALID", listed, { details: { problems } });
}

function tryGraph(schema: Json): SchemaGraph | undefined {
  return readSchema(schema, "subset").graph;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
