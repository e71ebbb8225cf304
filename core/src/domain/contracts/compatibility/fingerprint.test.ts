import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "#domain/contracts/schema/structure";
import { canonicalJson } from "#domain/ledger";
import { canonicalText } from "./canonical.ts";
import { capabilityFingerprint, fingerprint, versionSkew } from "./index.ts";

const schema = {
  type: "object",
  properties: { b: { enum: ["x", 1] }, a: { $ref: "#/definitions/a" } },
  required: ["a", "b"],
  definitions: { a: { type: ["string", "null"] } },
};

describe("a fingerprint", () => {
  it("is a SHA-256 that stays what it is from version to version", () => {
    expect(fingerprint(schema)).toBe(fingerprint(structuredClone(schema)));
    expect(fingerprint({ type: "string" })).toBe(
      "sha256:00404e686415370f1711c4d7acfa2905444d3cf23cef2e10c47d445ebe690f96",
    );
  });

  it.each<[string, unknown]>([
    ["annotations", { ...schema, title: "t", description: "d", default: {}, examples: [{}] }],
    [
      "annotations further in",
      { ...schema, properties: { ...schema.properties, b: { enum: ["x", 1], description: "d" } } },
    ],
    ["the name of the dialect", { ...schema, $schema: "http://json-schema.org/draft-07/schema#" }],
    [
      "the order of keys",
      {
        definitions: schema.definitions,
        required: schema.required,
        properties: { a: schema.properties.a, b: schema.properties.b },
        type: "object",
      },
    ],
    [
      "the order of lists that are sets",
      { ...schema, required: ["b", "a"], properties: { ...schema.properties, b: { enum: [1, "x"] } } },
    ],
    ["a type alone in a list", { ...schema, type: ["object"] }],
    [
      "definitions that nothing uses",
      { ...schema, definitions: { ...schema.definitions, c: {}, d: { $ref: "#/definitions/c" } } },
    ],
    [
      "what stands beside a reference",
      { ...schema, properties: { ...schema.properties, a: { $ref: "#/definitions/a", maxLength: 3 } } },
    ],
  ])("does not see %s", (_, other) => {
    expect(fingerprint(other)).toBe(fingerprint(schema));
  });

  it.each<[string, unknown]>([
    ["another type", { ...schema, type: "array" }],
    ["another required property", { ...schema, required: ["a"] }],
    ["a property called like an annotation", { ...schema, properties: { ...schema.properties, title: {} } }],
    ["another definition", { ...schema, definitions: { a: { type: "string" } } }],
    ["a value called like an annotation", { ...schema, const: { title: "x" } }],
    ["no schema", undefined],
  ])("sees %s", (_, other) => {
    expect(fingerprint(other)).not.toBe(fingerprint(schema));
  });

  it("takes a schema that is absent for one that asks nothing", () => {
    expect(fingerprint(undefined)).toBe(fingerprint({}));
    expect(fingerprint({ description: "anything" })).toBe(fingerprint({}));
  });

  it("has a name for a schema with half a surrogate pair too", () => {
    expect(fingerprint({ const: "\ud800" })).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("of a capability tells its sides apart", () => {
    expect(capabilityFingerprint({ inputSchema: schema })).not.toBe(
      capabilityFingerprint({ outputSchema: schema }),
    );
  });
});

describe("the canonical text", () => {
  it("is the ledger's", () => {
    const texts = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "grapheme" }), texts, texts, (value, a, b) => {
        const both = { [`${a}!`]: value, [a]: b, [b]: value };
        expect(canonicalText(both as Json)).toBe(canonicalJson(both));
      }),
    );
  });
});

describe("a version skew", () => {
  const offered = { fingerprint: "sha256:b", since: "1.0.0", minSchemaVersion: "1.2.0" };

  it("is found where the caller knows less than the callee serves", () => {
    expect(versionSkew({ fingerprint: "sha256:a", version: "1.1.9" }, offered)).toMatchObject({
      knownVersion: "1.1.9",
      oldestVersion: "1.2.0",
    });
    expect(versionSkew({ version: "1.2.0-rc.1" }, offered)?.message).toContain(
      "Generate the caller's types again.",
    );
  });

  it.each<[string, Parameters<typeof versionSkew>]>([
    ["the schemas are the same", [{ fingerprint: "sha256:b", version: "1.0.0" }, offered]],
    ["the caller knows enough", [{ version: "1.2.0" }, offered]],
    ["the caller knows more", [{ version: "2.0.0" }, offered]],
    ["the caller says nothing, like a stock peer", [{}, offered]],
    ["the caller says something else", [{ version: "latest" }, offered]],
    ["the callee asks for nothing", [{ version: "0.1.0" }, { since: "1.0.0" }]],
  ])("is none where %s", (_, [known, other]) => {
    expect(versionSkew(known, other)).toBeUndefined();
  });
});
