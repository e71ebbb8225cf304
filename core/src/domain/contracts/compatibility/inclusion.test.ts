import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds, type Json, readSchema, type SchemaGraph } from "#domain/contracts/schema/structure";
import { isIncluded } from "./inclusion.ts";
import {
  randomSchema,
  randomValue,
  seeded,
  widenedDefinition,
  widenedPair,
  widenings,
} from "./testing/index.ts";

function graph(schema: unknown): SchemaGraph {
  const { graph: read, problems } = readSchema(schema, "subset");
  if (!read) throw new Error(JSON.stringify(problems));
  return read;
}

function verdict(inner: unknown, outer: unknown): string {
  return isIncluded(graph(inner), graph(outer)).verdict;
}

const suite = fileURLToPath(
  new URL("../../../../../../shared/json-schema-test-suite/tests/", import.meta.url),
);
const suiteIsHere = existsSync(suite);

/** The official suite's schemas of both full drafts, with the values it tries on them. */
function suiteGroups(): { name: string; graph: SchemaGraph; payloads: Json[] }[] {
  return (["draft-07", "2020-12"] as const).flatMap((dialect) => {
    const folder = `${suite}${dialect === "draft-07" ? "draft7" : "draft2020-12"}/`;
    const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
    return files.flatMap((file) => {
      const groups: { description: string; schema: unknown; tests: { data: Json }[] }[] = JSON.parse(
        readFileSync(`${folder}${file}`, "utf8"),
      );
      return groups.flatMap(({ description, schema, tests }) => {
        const { graph: read } = readSchema(schema, dialect);
        const name = `${dialect} ${file}: ${description}`;
        return read ? [{ name, graph: read, payloads: tests.map(({ data }) => data) }] : [];
      });
    });
  });
}

const tree = (leaf: unknown) => ({
  $ref: "#/definitions/tree",
  definitions: {
    tree: {
      type: "object",
      properties: { value: leaf, kids: { type: "array", items: { $ref: "#/definitions/tree" } } },
    },
  },
});
const tagged = (...kinds: [string, object][]) => ({
  oneOf: kinds.map(([kind, value]) => ({
    type: "object",
    properties: { kind: { const: kind }, value },
    required: ["kind"],
    additionalProperties: false,
  })),
});

describe("inclusion is proven", () => {
  it.each<[string, unknown, unknown]>([
    ["of integers in numbers", { type: "integer" }, { type: "number" }],
    ["of all types in no type", { type: ["object", "array", "string", "number", "boolean", "null"] }, {}],
    ["of no type in all types", {}, { type: ["object", "array", "string", "number", "boolean", "null"] }],
    [
      "of listed values in what they are",
      { enum: ["a", 1] },
      { type: ["string", "integer"], maxLength: 1, minimum: 1 },
    ],
    ["between bounds", { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 2 }, { enum: [1] }],
    ["of what cannot be in anything", { type: "string", minLength: 3, maxLength: 2 }, { not: {} }],
    ["of booleans in their values", { type: "boolean" }, { enum: [true, false] }],
    [
      "of patterns",
      { type: "string", pattern: "^a[0-9]{2}$" },
      { pattern: "^[a-z]\\d+$", minLength: 3, maxLength: 3 },
    ],
    ["of patterns that overlap", { type: "string", pattern: "^(?:ab|ba)+$" }, { pattern: "^[ab]*$" }],
    ["of a format in a wider one", { format: "uri" }, { format: "uri-reference" }],
    [
      "of a closed object in an open one",
      { properties: { a: { type: "string" } }, additionalProperties: false },
      { properties: { b: { type: "integer" } } },
    ],
    [
      "in an object with one more optional property",
      { properties: { a: {} }, additionalProperties: false },
      { properties: { a: {}, b: {} }, additionalProperties: false },
    ],
    [
      "of distinct items, of which there are too few",
      { type: "array", items: { enum: [1, 2] }, uniqueItems: true },
      { maxItems: 2 },
    ],
    [
      "where a constraint moved",
      { type: "string", minLength: 2 },
      { allOf: [{ minLength: 1 }, { type: "string" }, { minLength: 2 }] },
    ],
    [
      "of each branch in some branch",
      { anyOf: [{ const: 1 }, { const: 2 }] },
      { anyOf: [{ maximum: 1 }, { minimum: 2 }] },
    ],
    [
      "where only both branches together hold it",
      { type: "number" },
      { anyOf: [{ type: "integer" }, { not: { type: "integer" } }] },
    ],
    [
      "of tagged unions with one tag more",
      tagged(["a", {}], ["b", {}]),
      tagged(["c", {}], ["b", {}], ["a", {}]),
    ],
    [
      "of tagged unions with one part wider",
      tagged(["a", { type: "integer" }], ["b", {}]),
      tagged(["a", { type: "number" }], ["b", {}]),
    ],
    ["inside a negation", { not: { type: ["string", "null"] } }, { not: { type: "string" } }],
    ["in a recursive schema", tree({ type: "integer" }), tree({ type: "number" })],
    [
      "in a recursive schema of itself, unrolled",
      tree({ type: "integer" }),
      { properties: { kids: tree({}).definitions.tree.properties.kids }, definitions: tree({}).definitions },
    ],
    [
      "of a list that cannot end",
      {
        $ref: "#/definitions/l",
        definitions: {
          l: { type: "object", properties: { next: { $ref: "#/definitions/l" } }, required: ["next"] },
        },
      },
      { not: {} },
    ],
    [
      "by another name of a definition",
      tree({ type: "null" }),
      {
        $ref: "#/definitions/t",
        definitions: {
          t: {
            properties: {
              kids: { items: { $ref: "#/definitions/t" }, type: "array" },
              value: { type: "null" },
            },
            type: "object",
          },
        },
      },
    ],
  ])("%s", (_, inner, outer) => {
    expect(verdict(inner, outer)).toBe("yes");
  });
});

describe("what is not included is shown", () => {
  it.each<[string, unknown, unknown, Json]>([
    ["a kind of value", { type: ["string", "null"] }, { type: "string" }, null],
    ["a number", { type: "number" }, { type: "integer" }, 0.5],
    ["a value between bounds", { type: "integer", minimum: 3 }, { minimum: 4 }, 3],
    ["a text", { type: "string", pattern: "^[ab]{3}$" }, { pattern: "aaa" }, "aab"],
    ["a text of some length", { type: "string" }, { maxLength: 3 }, "aaaa"],
    ["a text of no format", { type: "string" }, { format: "uri-reference" }, " "],
    ["a missing property", { type: "object" }, { required: ["a"] }, {}],
    ["a further property", { type: "object" }, { additionalProperties: false }, { extra: null }],
    [
      "a further property that is none of those known",
      { type: "object" },
      { properties: { extra: {} }, additionalProperties: false },
      { extra2: null },
    ],
    ["equal items", { type: "array", items: { type: "integer" } }, { uniqueItems: true }, [0, 0]],
    ["something deep inside", tree({ type: "number" }), tree({ type: "integer" }), { value: 0.5 }],
    ["the branch that is new", tagged(["a", {}], ["b", {}]), tagged(["a", {}]), { kind: "b" }],
    ["what two branches accept", { type: "integer" }, { oneOf: [{ minimum: 0 }, { maximum: 5 }] }, 0],
    [
      "a property called __proto__",
      { type: "object" },
      { properties: JSON.parse('{"__proto__": {"type": "null"}}') },
      JSON.parse('{"__proto__": true}'),
    ],
  ])("by %s", (_, inner, outer, payload) => {
    expect(isIncluded(graph(inner), graph(outer))).toEqual({ verdict: "no", payload });
  });
});

describe("the classifier", () => {
  it("is sound: nothing that the old schema accepts is refused by one that it calls compatible", () => {
    let proven = 0;
    let tried = 0;
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, related) => {
        const pick = seeded(seed);
        const old = randomSchema(pick);
        // Half of them differ in one place only: those are the ones that are included more often.
        const now = related ? { ...old, ...randomSchema(pick) } : randomSchema(pick);
        const [oldGraph, newGraph] = [graph(old), readSchema(now, "subset").graph];
        fc.pre(newGraph !== undefined);
        if (!newGraph) return;
        const found = isIncluded(oldGraph, newGraph);
        if (found.verdict === "no") {
          expect([holds(oldGraph, found.payload), holds(newGraph, found.payload)]).toEqual([true, false]);
        }
        if (found.verdict !== "yes") return;
        proven++;
        for (let i = 0; i < 30; i++) {
          const value = randomValue(pick, oldGraph.root);
          if (!holds(oldGraph, value)) continue;
          tried++;
          if (!holds(newGraph, value)) {
            throw new Error(
              `${JSON.stringify(value)} is lost from ${JSON.stringify(old)} to ${JSON.stringify(now)}`,
            );
          }
        }
      }),
      { numRuns: 2_000 },
    );
    console.log(
      `soundness: ${proven} inclusions were proven, and ${tried} payloads found nothing against them`,
    );
    expect(proven).toBeGreaterThan(200);
    expect(tried).toBeGreaterThan(1_000);
  }, 120_000);

  it.skipIf(!suiteIsHere)(
    "is sound beyond the subset, where it has to let many things be",
    () => {
      const groups = suiteGroups();
      const payloads = groups.flatMap(({ payloads: list }) => list);
      const counts = { yes: 0, no: 0, unclear: 0 };
      for (const [i, { graph: inner, name }] of groups.entries()) {
        for (const step of [1, 97, 194, 291]) {
          const outer = groups[(i * 31 + step) % groups.length];
          if (!outer) throw new Error("there is always another");
          const found = isIncluded(inner, outer.graph);
          counts[found.verdict]++;
          if (found.verdict === "no")
            expect([holds(inner, found.payload), holds(outer.graph, found.payload)]).toEqual([true, false]);
          if (found.verdict !== "yes") continue;
          const lost = payloads.filter((payload) => holds(inner, payload) && !holds(outer.graph, payload));
          expect(lost, `${name} in ${outer.name}`).toEqual([]);
        }
      }
      expect(counts.yes).toBeGreaterThan(100);
    },
    120_000,
  );

  it("is useful: it calls at least 95 % of 10,000 widenings compatible, over every keyword", () => {
    const keywords = [...Object.keys(widenings), "definitions"];
    const each = Math.ceil(10_000 / keywords.length);
    const lines: string[] = [];
    let compatible = 0;
    for (const [k, keyword] of keywords.entries()) {
      let yes = 0;
      for (let i = 0; i < each; i++) {
        const pick = seeded(i * keywords.length + k);
        const { before, after } =
          keyword === "definitions" ? widenedDefinition(pick) : widenedPair(pick, keyword);
        const found = isIncluded(graph(before), graph(after));
        // A widening that lost a payload would be none.
        expect(found.verdict, `${JSON.stringify(before)} ${JSON.stringify(after)}`).not.toBe("no");
        if (found.verdict === "yes") yes++;
      }
      compatible += yes;
      lines.push(`${keyword.padEnd(22)} ${((100 * yes) / each).toFixed(1)} %`);
    }
    const total = each * keywords.length;
    console.log(`${lines.join("\n")}\n${compatible} of ${total} widenings are called compatible`);
    expect(total).toBeGreaterThanOrEqual(10_000);
    expect(compatible / total).toBeGreaterThanOrEqual(0.95);
  }, 300_000);

  it("finds a payload for most of what it cannot prove", () => {
    const counts = { yes: 0, no: 0, unclear: 0 };
    for (let seed = 0; seed < 500; seed++) {
      const pick = seeded(seed);
      counts[verdict(randomSchema(pick), randomSchema(pick)) as keyof typeof counts]++;
    }
    expect(counts.unclear).toBeLessThan(counts.no / 20);
  }, 60_000);

  it("gives up on what would take forever, and then says so", () => {
    const property = (i: number, j: number) => ({
      properties: {
        [`p${(i * 7 + j * 3) % 11}`]: { type: ["string", "integer"][(i + j) % 2], minLength: j, minimum: i },
      },
      required: [`p${(i * 7 + j * 3) % 11}`],
    });
    const wide = (shift: number) => ({
      allOf: Array.from({ length: 14 }, (_, i) => ({
        anyOf: Array.from({ length: 8 }, (_, j) => property(i + shift, j)),
      })),
    });
    expect(["no", "unclear"]).toContain(verdict(wide(0), wide(1)));
  }, 60_000);
});
