import { compareVersions, isVersion } from "#domain/contracts/capabilities";
import type { Effect } from "./assess.ts";
import type { Change, DeclaredCapability } from "./compare.ts";

const compatible: Effect = { verdict: "compatible" };
const breaking = (reason: string): Effect => ({ verdict: "breaking", reason });

/** Changes beside the schemas that a caller or callee can feel. */
export function declarationChanges(one: DeclaredCapability, other: DeclaredCapability): Change[] {
  return [...timeout(one, other), ...idempotence(one, other), ...versions(one, other)];
}

function change(
  of: DeclaredCapability,
  path: string,
  summary: string,
  callers: Effect,
  callees: Effect,
): Change {
  return { capability: of.name, part: "declaration", path, summary, callers, callees };
}

function* timeout(one: DeclaredCapability, other: DeclaredCapability): Iterable<Change> {
  if (one.timeoutMs === other.timeoutMs) return;
  const summary = `timeoutMs changed from ${one.timeoutMs ?? "the default"} to ${other.timeoutMs ?? "the default"}`;
  // What a caller waits by default is not the capability's to say, so leaving or entering the default is no promise broken.
  const isShorter =
    one.timeoutMs !== undefined && other.timeoutMs !== undefined && other.timeoutMs < one.timeoutMs;
  const effect = isShorter ? breaking("calls that were in time may now be too late") : compatible;
  yield change(one, "timeoutMs", summary, effect, effect);
}

function* idempotence(one: DeclaredCapability, other: DeclaredCapability): Iterable<Change> {
  const [before, after] = [one.idempotent ?? false, other.idempotent ?? false];
  if (before === after) return;
  yield change(
    one,
    "idempotent",
    `idempotent changed from ${before} to ${after}`,
    after ? compatible : breaking("callers that repeat a call now cause its effect twice"),
    after ? breaking("callers now repeat calls that had their effect already") : compatible,
  );
}

function* versions(one: DeclaredCapability, other: DeclaredCapability): Iterable<Change> {
  if (one.since !== other.since) {
    const summary = `since changed from ${one.since ?? "nothing"} to ${other.since ?? "nothing"}`;
    yield change(one, "since", summary, compatible, compatible);
  }
  const [before, after] = [one.minSchemaVersion, other.minSchemaVersion];
  if (before === after) return;
  const summary = `minSchemaVersion changed from ${before ?? "nothing"} to ${after ?? "nothing"}`;
  const reason = `callers that know a version before ${after} are refused`;
  yield change(
    one,
    "minSchemaVersion",
    summary,
    isRaised(before, after) ? breaking(reason) : compatible,
    compatible,
  );
}

function isRaised(before: string | undefined, after: string | undefined): boolean {
  if (after === undefined || !isVersion(after)) return false;
  return before === undefined || !isVersion(before) || compareVersions(after, before) > 0;
}
