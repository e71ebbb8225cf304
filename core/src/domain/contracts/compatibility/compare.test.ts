import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "#domain/contracts/schema";
import { readSchema } from "#domain/contracts/schema/structure";
import { type Change, compareCapabilities, type DeclaredCapability } from "./index.ts";
import { chance, one, randomValue, seeded, widenedPair, widenings } from "./testing/index.ts";

const base: DeclaredCapability = { name: "review-pr", timeoutMs: 60_000, idempotent: true, since: "1.1.0" };

function changes(before: Partial<DeclaredCapability>, after: Partial<DeclaredCapability>): Change[] {
  return [...compareCapabilities([{ ...base, ...before }], [{ ...base, ...after }]).changes];
}

/** `breaking/compatible path: summary`, for callers and for callees. */
function told(list: readonly Change[]): string[] {
  return list.map(
    ({ callers, callees, path, summary }) => `${callers.verdict}/${callees.verdict} ${path}: ${summary}`,
  );
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a request", () => {
  const request = (before: unknown, after: unknown) =>
    told(changes({ inputSchema: before }, { inputSchema: after }));

  it.each<[string, unknown, unknown, string[]]>([
    ["unchanged", object({ a: {} }), object({ a: {} }), []],
    [
      "described otherwise",
      { description: "a" },
      { description: "b", title: "c" },
      [
        'compatible/compatible /description: description changed from "a" to "b"',
        'compatible/compatible /title: title "c" added',
      ],
    ],
    [
      "wider",
      { type: "integer" },
      { type: "number" },
      ['compatible/breaking /type: type changed from "integer" to "number"'],
    ],
    ["narrower", { enum: ["a", "b"] }, { enum: ["a"] }, ['breaking/compatible /enum: value "b" removed']],
    [
      "both",
      { enum: ["a", "b"] },
      { enum: ["a", "c"] },
      ['breaking/compatible /enum: value "b" removed', 'compatible/breaking /enum: value "c" added'],
    ],
    [
      "with a property more to give",
      object({}),
      object({}, { required: ["a"] }),
      ['breaking/compatible /required: required ["a"] added'],
    ],
    [
      "with a property less to give",
      object({}, { required: ["a", "b"] }),
      object({}, { required: ["b"] }),
      ['compatible/breaking /required: required property "a" removed'],
    ],
    [
      "with a property that may be given",
      object({}, { additionalProperties: false }),
      object({ a: {} }, { additionalProperties: false }),
      ['compatible/breaking /properties/a: property "a" added'],
    ],
    [
      "with a property that was free before",
      object({}),
      object({ a: { type: "string" } }),
      ['breaking/compatible /properties/a: property "a" added'],
    ],
    [
      "under a schema at last",
      undefined,
      { type: "object" },
      ["breaking/compatible /: a schema where there was none"],
    ],
    ["under a schema no more", { type: "object" }, undefined, ["compatible/breaking /: the schema removed"]],
    [
      "written otherwise",
      { minLength: 2, type: "string" },
      { allOf: [{ type: "string" }, { minLength: 2 }] },
      [
        "compatible/compatible /minLength: minLength 2 removed",
        'compatible/compatible /type: type "string" removed',
        'compatible/compatible /allOf: allOf [{"type":"string"},{"minLength":2}] added',
      ],
    ],
    [
      "with a definition by another name",
      { $ref: "#/definitions/a", definitions: { a: { type: "null" } } },
      { $ref: "#/definitions/b", definitions: { b: { type: "null" } } },
      [
        'compatible/compatible /$ref: $ref changed from "#/definitions/a" to "#/definitions/b"',
        'compatible/compatible /definitions/a: definition "a" removed',
        'compatible/compatible /definitions/b: definition "b" added',
      ],
    ],
    [
      "with a definition that says something else",
      { $ref: "#/definitions/a", definitions: { a: { maximum: 5 } } },
      { $ref: "#/definitions/a", definitions: { a: { maximum: 4 } } },
      ["breaking/compatible /definitions/a/maximum: maximum changed from 5 to 4"],
    ],
    [
      "with a branch more",
      { anyOf: [{ type: "null" }] },
      { anyOf: [{ type: "null" }, { type: "string" }] },
      ["compatible/breaking /anyOf/1: branch 1 added"],
    ],
    [
      "with its branches in another order",
      { anyOf: [{ type: "null" }, { const: 1 }] },
      { anyOf: [{ const: 1 }, { type: "null" }] },
      [],
    ],
    [
      "with a branch changed",
      { anyOf: [{ const: 1 }, { const: 2 }] },
      { anyOf: [{ const: 3 }, { const: 2 }] },
      ["breaking/breaking /anyOf/0/const: const changed from 1 to 3"],
    ],
    [
      "narrower inside a negation, which is wider",
      { not: { type: ["null", "string"] } },
      { not: { type: "null" } },
      ['compatible/breaking /not/type: type changed from ["null","string"] to "null"'],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(request(before, after)).toEqual(expected);
  });

  it("shows what is lost by each change, also where there are several", () => {
    const before = object({ a: { enum: ["x", "y"] }, n: { maximum: 9 } }, { additionalProperties: false });
    const after = object(
      { a: { enum: ["x"] }, n: { maximum: 4 }, b: {} },
      { required: ["b"], additionalProperties: false },
    );
    const found = changes({ inputSchema: before }, { inputSchema: after });
    const payloads = found.map(({ callers }) =>
      callers.verdict === "breaking" ? callers.payload : undefined,
    );
    expect(payloads).toEqual([{ a: "y" }, { n: 5 }, undefined, {}]);
    expect(found[2]?.callees).toMatchObject({ verdict: "breaking", reason: "refused before, possible now" });
  });

  it("is told as a whole where no change is to blame alone", () => {
    const before = { anyOf: [{ const: 1 }, { enum: [1] }] };
    const after = { anyOf: [{ const: 2 }, { enum: [1, 2], minimum: 2 }] };
    const found = changes({ inputSchema: before }, { inputSchema: after });
    expect(found.slice(0, -1).every(({ callers }) => callers.verdict === "compatible")).toBe(true);
    expect(found.at(-1)).toMatchObject({
      path: "/",
      summary: "the changes taken together",
      callers: { verdict: "breaking", payload: 1 },
    });
  });
});

describe("whatever changes", () => {
  it("is proven by every payload that is shown, and found out by none where nothing breaks", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const pick = seeded(seed);
        const keyword = one(pick, Object.keys(widenings));
        const pair = widenedPair(pick, keyword);
        const [before, after] = chance(pick, 50) ? [pair.after, pair.before] : [pair.before, pair.after];
        const [old, now] = [compileSchema(before), compileSchema(after)];
        const found = changes({ inputSchema: before }, { inputSchema: after });
        for (const { callers, callees } of found) {
          if (callers.verdict === "breaking" && callers.payload !== undefined) {
            expect([old.validate(callers.payload), now.validate(callers.payload).length > 0]).toEqual([
              [],
              true,
            ]);
          }
          if (callees.verdict === "breaking" && callees.payload !== undefined) {
            expect([old.validate(callees.payload).length > 0, now.validate(callees.payload)]).toEqual([
              true,
              [],
            ]);
          }
        }
        if (found.some(({ callers }) => callers.verdict === "breaking")) return;
        const { graph } = readSchema(before, "subset");
        for (let i = 0; graph && i < 20; i++) {
          const value = randomValue(pick, graph.root);
          if (old.validate(value).length === 0) expect(now.validate(value)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});

describe("a response", () => {
  it("breaks callers where it can be what they do not know", () => {
    const [added, removed] = changes(
      { outputSchema: { enum: ["a"] } },
      { outputSchema: { enum: ["a", "b"] } },
    ).concat(changes({ outputSchema: { enum: ["a", "b"] } }, { outputSchema: { enum: ["a"] } }));
    expect(added?.callers).toEqual({
      verdict: "breaking",
      reason: "refused before, possible now",
      payload: "b",
    });
    expect(added?.callees).toEqual({ verdict: "compatible" });
    expect(removed?.callers).toEqual({ verdict: "compatible" });
    expect(removed?.callees).toEqual({
      verdict: "breaking",
      reason: "accepted before, refused now",
      payload: "b",
    });
  });
});

describe("a declaration", () => {
  it.each<[string, Partial<DeclaredCapability>, string]>([
    [
      "with less time",
      { timeoutMs: 30_000 },
      "breaking/breaking timeoutMs: timeoutMs changed from 60000 to 30000",
    ],
    [
      "with more time",
      { timeoutMs: 90_000 },
      "compatible/compatible timeoutMs: timeoutMs changed from 60000 to 90000",
    ],
    [
      "with the default time",
      { timeoutMs: undefined },
      "compatible/compatible timeoutMs: timeoutMs changed from 60000 to the default",
    ],
    [
      "that may not be repeated",
      { idempotent: false },
      "breaking/compatible idempotent: idempotent changed from true to false",
    ],
    [
      "of another version",
      { since: "1.2.0" },
      "compatible/compatible since: since changed from 1.1.0 to 1.2.0",
    ],
    [
      "that refuses older callers",
      { minSchemaVersion: "1.2.0" },
      "breaking/compatible minSchemaVersion: minSchemaVersion changed from nothing to 1.2.0",
    ],
  ])("%s", (_, after, expected) => {
    expect(told(changes({}, after))).toEqual([expected]);
  });

  it("that may be repeated now is trouble for callees that do not know it", () => {
    expect(told(changes({ idempotent: false }, {}))[0]).toContain("compatible/breaking idempotent");
  });

  it("that refuses fewer callers breaks none", () => {
    expect(told(changes({ minSchemaVersion: "1.3.0" }, { minSchemaVersion: "1.2.0" }))[0]).toContain(
      "compatible/compatible",
    );
  });

  it("that came or went", () => {
    const comparison = compareCapabilities([{ name: "old" }], [{ name: "new" }]);
    expect(told(comparison.changes)).toEqual([
      "breaking/compatible name: the capability removed",
      "compatible/breaking name: the capability added",
    ]);
    expect([comparison.breaksCallers, comparison.breaksCallees]).toEqual([true, true]);
    expect(comparison.capabilities[0]).toMatchObject({
      name: "old",
      before: { fingerprint: expect.any(String) },
    });
    expect(comparison.capabilities[0]?.after).toBeUndefined();
  });

  it("that has another name", () => {
    const inputSchema = { type: "object" };
    const comparison = compareCapabilities(
      [{ name: "old", inputSchema }, { name: "same" }],
      [{ name: "new", inputSchema }, { name: "same" }],
    );
    expect(told(comparison.changes)).toEqual([
      "breaking/compatible name: the capability renamed to new",
      "compatible/breaking name: the capability old renamed",
    ]);
  });
});
