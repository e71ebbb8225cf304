import { assess, type Effect, type SchemaChange } from "./assess.ts";
import { declarationChanges } from "./declaration.ts";
import { capabilityFingerprint } from "./fingerprint.ts";

/** What a capability promises, as capabilities.yaml declares it. */
export interface DeclaredCapability {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly timeoutMs?: number | undefined;
  readonly idempotent?: boolean | undefined;
  readonly since?: string | undefined;
  readonly minSchemaVersion?: string | undefined;
}

/**
 * One change of one capability. `callers` are those that still go by the old declaration while the callee goes
 * by the new one; `callees` are those that still go by the old one while their callers go by the new.
 */
export interface Change {
  readonly capability: string;
  readonly part: "request" | "response" | "declaration";
  /** Into the schema, or the field of the declaration. */
  readonly path: string;
  readonly summary: string;
  readonly callers: Effect;
  readonly callees: Effect;
}

export interface CapabilityVersion {
  readonly fingerprint: string;
  readonly since?: string;
  readonly minSchemaVersion?: string;
}

export interface ComparedCapability {
  readonly name: string;
  readonly before?: CapabilityVersion;
  readonly after?: CapabilityVersion;
  readonly changes: readonly Change[];
}

export interface Comparison {
  readonly capabilities: readonly ComparedCapability[];
  readonly changes: readonly Change[];
  /** Whether any change breaks those on this side. */
  readonly breaksCallers: boolean;
  readonly breaksCallees: boolean;
}

const compatible: Effect = { verdict: "compatible" };
const breaking = (reason: string): Effect => ({ verdict: "breaking", reason });

/** Compares what an agent declared with what it declares now, capability by capability. */
export function compareCapabilities(
  before: readonly DeclaredCapability[],
  after: readonly DeclaredCapability[],
): Comparison {
  const old = new Map(before.map((capability) => [capability.name, capability]));
  const now = new Map(after.map((capability) => [capability.name, capability]));
  const names = new Set([...old.keys(), ...now.keys()]);
  const capabilities = Array.from(names, (name): ComparedCapability => {
    const [one, other] = [old.get(name), now.get(name)];
    const changes = one && other ? changesOf(one, other) : comingAndGoing(name, one, other, before, after);
    return {
      name,
      ...(one ? { before: versionOf(one) } : {}),
      ...(other ? { after: versionOf(other) } : {}),
      changes,
    };
  });
  const changes = capabilities.flatMap((capability) => capability.changes);
  return {
    capabilities,
    changes,
    breaksCallers: changes.some(({ callers }) => callers.verdict === "breaking"),
    breaksCallees: changes.some(({ callees }) => callees.verdict === "breaking"),
  };
}

function changesOf(one: DeclaredCapability, other: DeclaredCapability): Change[] {
  const capability = one.name;
  // Callers write requests and read responses; callees the other way round.
  const request = assess(one.inputSchema, other.inputSchema).map(
    ({ path, summary, accepting, producing }: SchemaChange): Change => {
      return { capability, part: "request", path, summary, callers: accepting, callees: producing };
    },
  );
  const response = assess(one.outputSchema, other.outputSchema).map(
    ({ path, summary, accepting, producing }: SchemaChange): Change => {
      return { capability, part: "response", path, summary, callers: producing, callees: accepting };
    },
  );
  return [...request, ...response, ...declarationChanges(one, other)];
}

function comingAndGoing(
  capability: string,
  one: DeclaredCapability | undefined,
  other: DeclaredCapability | undefined,
  before: readonly DeclaredCapability[],
  after: readonly DeclaredCapability[],
): Change[] {
  const change = { capability, part: "declaration", path: "name" } as const;
  if (one) {
    const renamed = twin(one, after, before);
    const summary = renamed === undefined ? "the capability removed" : `the capability renamed to ${renamed}`;
    return [
      {
        ...change,
        summary,
        callers: breaking(`there is no ${capability} to call any more`),
        callees: compatible,
      },
    ];
  }
  if (!other) return [];
  const renamed = twin(other, before, after);
  const summary = renamed === undefined ? "the capability added" : `the capability ${renamed} renamed`;
  return [
    { ...change, summary, callers: compatible, callees: breaking(`there was no ${capability} to call yet`) },
  ];
}

/** The name under which the same contract is found on the other side, and only there. */
function twin(
  capability: DeclaredCapability,
  there: readonly DeclaredCapability[],
  here: readonly DeclaredCapability[],
): string | undefined {
  if (capability.inputSchema === undefined && capability.outputSchema === undefined) return undefined;
  const print = capabilityFingerprint(capability);
  const others = there.filter((other) => !here.some(({ name }) => name === other.name));
  return others.find((other) => capabilityFingerprint(other) === print)?.name;
}

function versionOf(capability: DeclaredCapability): CapabilityVersion {
  const { since, minSchemaVersion } = capability;
  return {
    fingerprint: capabilityFingerprint(capability),
    ...(since === undefined ? {} : { since }),
    ...(minSchemaVersion === undefined ? {} : { minSchemaVersion }),
  };
}
