import { createHash } from "node:crypto";
import type { Json, JsonObject } from "#domain/contracts/schema/structure";
import { canonicalText } from "./canonical.ts";
import { annotations, listed, mapped, single } from "./keywords.ts";

const draft07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

/**
 * A name for what a schema asks: the same for two schemas that differ only in annotations, in the order of
 * keys, `required`, `type` and `enum`, or in definitions that nothing refers to. It is the SHA-256 of the RFC
 * 8785 text of what is left without those. A schema that is absent asks nothing, like `{}`.
 */
export function fingerprint(schema: unknown): string {
  const normal = normalise((schema ?? {}) as Json);
  return `sha256:${createHash("sha256")
    .update(canonicalText(withoutUnused(normal)))
    .digest("hex")}`;
}

/** One for both sides of a capability. */
export function capabilityFingerprint(capability: { inputSchema?: unknown; outputSchema?: unknown }): string {
  const sides = [fingerprint(capability.inputSchema), fingerprint(capability.outputSchema)];
  return `sha256:${createHash("sha256").update(sides.join("\n")).digest("hex")}`;
}

function normalise(schema: Json): Json {
  if (!isObject(schema)) return schema;
  // In the subset and in draft-07, what stands beside a reference is not looked at.
  const isAlone = typeof schema.$ref === "string" && !says2020(schema);
  const entries: [string, Json][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (annotations.has(keyword)) continue;
    if (keyword === "$schema" && typeof value === "string" && draft07.test(value)) continue;
    if (isAlone && keyword !== "$ref" && keyword !== "definitions") continue;
    entries.push([wellFormed(keyword), keywordValue(keyword, value)]);
  }
  return Object.fromEntries(entries);
}

function keywordValue(keyword: string, value: Json): Json {
  if (single.has(keyword)) return normalise(value);
  if (listed.has(keyword) && Array.isArray(value)) return (value as readonly Json[]).map(normalise);
  if (mapped.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [wellFormed(key), normalise(of)]));
  }
  if (keyword === "type" && Array.isArray(value) && value.length === 1) return plain(value[0] ?? null);
  if (["required", "type", "enum"].includes(keyword) && Array.isArray(value)) {
    const texts = (value as readonly Json[]).map(
      (each) => [canonicalText(plain(each)), plain(each)] as const,
    );
    return texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }
  return plain(value);
}

/** Definitions that can be reached from what is not a definition. */
function withoutUnused(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { definitions, ...rest } = schema;
  if (definitions === undefined || !isObject(definitions)) return schema;
  const used = new Set<string>();
  const queue: Json[] = [rest];
  for (const part of queue) {
    for (const name of namesIn(part)) {
      const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (used.has(name) || definition === undefined) continue;
      used.add(name);
      queue.push(definition);
    }
  }
  if (used.size === 0) return rest;
  return {
    ...rest,
    definitions: Object.fromEntries(Object.entries(definitions).filter(([name]) => used.has(name))),
  };
}

/** Whatever looks like a reference: one too many does no harm. */
function* namesIn(value: Json): Iterable<string> {
  if (typeof value === "string" && value.startsWith("#/definitions/")) {
    const token = value.slice("#/definitions/".length);
    yield decodeToken(token);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) yield* namesIn(item as Json);
  }
}

function decodeToken(token: string): string {
  const name = token.replace(/%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** RFC 8785 has no text for half a surrogate pair. */
function plain(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return (value as readonly Json[]).map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), plain(item)]));
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}

function says2020(schema: JsonObject): boolean {
  return typeof schema.$schema === "string" && !draft07.test(schema.$schema);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
