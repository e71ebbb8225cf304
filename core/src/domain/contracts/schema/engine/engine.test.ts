import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { explain } from "../evaluate/index.ts";
import { compileSchema } from "../index.ts";
import { readSchema, type SchemaGraph } from "../read.ts";
import { schemas, values } from "../testing/arbitraries.ts";
import type { SchemaDialect } from "../types.ts";
import { compileGraph } from "./ajv.ts";
import { Budget } from "./budget.ts";
import { mostLooks, planFor, sizeWrittenOut } from "./plan.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

const SEED = 20_243;

function graphOf(schema: unknown, dialect: SchemaDialect = "subset"): SchemaGraph {
  const { graph, problems } = readSchema(schema, dialect);
  if (!graph) throw new Error(JSON.stringify(problems));
  return graph;
}

describe("compiled code and the walk agree", () => {
  it.each<[string, SchemaDialect, fc.Arbitrary<object>]>([
    ["the subset", "subset", schemas({ full: false })],
    ["the subset with references", "subset", schemas({ full: false, definitions: true })],
    ["draft-07 with references", "draft-07", schemas({ full: true, definitions: true })],
    ["2020-12 with references", "2020-12", schemas({ full: true, definitions: true })],
  ])("on %s", (_name, dialect, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, fc.array(values, { minLength: 1, maxLength: 8 }), (schema, samples) => {
        const { graph } = readSchema(schema, dialect);
        fc.pre(graph !== undefined);
        const plan = planFor(graph);
        if (plan === "walk") return;
        const compiled = compileGraph(graph, plan, new Budget());
        for (const value of samples) {
          expect([value, compiled(value)]).toEqual([value, explain(graph, value).length === 0]);
        }
      }),
      { seed: SEED, numRuns: 600 },
    );
  });
});

describe("violations", () => {
  it("point to a place in the value, or to a property that is missing there", () => {
    fc.assert(
      fc.property(schemas({ full: true }), values, (schema, value) => {
        for (const { path } of explain(graphOf(schema, "draft-07"), value)) {
          const keys = path === "/" ? [] : path.slice(1).split("/");
          const last = keys.pop()?.replaceAll("~1", "/").replaceAll("~0", "~");
          let at: unknown = value;
          for (const key of keys) {
            const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
            expect(Object.hasOwn(at as object, name)).toBe(true);
            at = (at as Record<string, unknown>)[name];
          }
          if (last !== undefined) expect(typeof at).toBe("object");
        }
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  it("are none for the very values that a schema lists", () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 40 }), (list) => {
        const validator = compileSchema({ enum: list });
        for (const value of list) expect(validator.validate(structuredClone(value))).toEqual([]);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe("uniqueItems", () => {
  it("finds what comparing each with each would find", () => {
    const validator = compileSchema({ uniqueItems: true });
    fc.assert(
      fc.property(fc.array(values, { maxLength: 20 }), (items) => {
        const repeats = items.some((item, i) =>
          items.slice(0, i).some((one) => isDeepStrictEqual(item, one)),
        );
        expect(validator.validate(items).length > 0).toBe(repeats);
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });
});

describe("the plan", () => {
  const refs = (count: number) => ({
    anyOf: new Array(count).fill({ $ref: "#/definitions/a" }),
    definitions: { a: { type: "object", properties: { b: { type: "string" } } } },
  });
  const named = (make: (i: number) => unknown) =>
    Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`p${i}`, make(i)]));
  const tree = { $ref: "#/definitions/a", definitions: { a: { items: { $ref: "#/definitions/a" } } } };
  const forked = {
    $ref: "#/definitions/a",
    definitions: {
      a: { anyOf: [{ items: { $ref: "#/definitions/a" } }, { items: { $ref: "#/definitions/a" } }] },
    },
  };

  it("writes references out where they are few", () => {
    expect(planFor(graphOf(refs(3)))).toEqual({ inlined: true, counted: false });
    expect(sizeWrittenOut(graphOf(refs(3)).root)).toBe(10);
    expect(planFor(graphOf(refs(20)))).toEqual({ inlined: true, counted: false });
    expect(planFor(graphOf(refs(40)))).toEqual({ inlined: false, counted: true });
    expect(sizeWrittenOut(graphOf(tree).root)).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts steps only where one value can be looked at very often", () => {
    expect(
      planFor(graphOf({ properties: named(() => ({ properties: { x: { type: "string" } } })) })),
    ).toEqual({
      inlined: false,
      counted: false,
    });
    expect(planFor(graphOf({ allOf: Object.values(named(() => ({ type: "string" }))) }))).toMatchObject({
      counted: true,
    });
    expect(planFor(graphOf(tree))).toEqual({ inlined: false, counted: false });
    expect(planFor(graphOf(forked))).toEqual({ inlined: false, counted: true });
    expect(mostLooks(graphOf(tree))).toBe(2);
    expect(mostLooks(graphOf(forked))).toBe(Number.POSITIVE_INFINITY);
  });

  it("walks what compiled code would misjudge, and what is too large to compile", () => {
    expect(planFor(graphOf({ required: ["constructor"] }))).toBe("walk");
    expect(planFor(graphOf({ required: [""] }))).toBe("walk");
    expect(planFor(graphOf(JSON.parse('{"properties":{"__proto__":{}}}')))).toBe("walk");
    expect(planFor(graphOf(JSON.parse('{"patternProperties":{"__proto__":{}}}'), "draft-07"))).toBe("walk");
    expect(planFor(graphOf({ unevaluatedItems: false }, "2020-12"))).toBe("walk");
    expect(planFor(graphOf({ anyOf: new Array(600).fill({ type: "string" }) }))).toBe("walk");
  });
});
