import { describe, expect, it, vi } from "vitest";
import { explain } from "./evaluate/index.ts";
import { compileSchema, tryCompileSchema } from "./index.ts";
import { limits } from "./limits.ts";
import { readSchema } from "./read.ts";
import { counting, HostileSchemas, nastyNames, Random } from "./testing/hostile.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

const SEED = 0x570a;
const CASES = 100_000;

const snapshot = () =>
  JSON.stringify([
    Object.getOwnPropertyNames(Object.prototype),
    Object.getOwnPropertyNames(Array.prototype),
    Object.getOwnPropertyNames(Function.prototype),
    Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith("stoa")),
  ]);

describe("hostile schemas and payloads", () => {
  it(`${CASES} of them: no crash, no runaway, nothing polluted`, () => {
    const before = snapshot();
    const random = new Random(SEED);
    const made = {
      subset: new HostileSchemas(random, { full: false }),
      full: new HostileSchemas(random, { full: true }),
    };
    let accepted = 0;
    let compiled = 0;
    let most = 0;
    for (let i = 0; i < CASES; i++) {
      const dialect = random.pick(["subset", "subset", "draft-07", "2020-12"] as const);
      const source = dialect === "subset" ? made.subset : made.full;
      const schema = source.root();
      const { graph, problems } = readSchema(schema, dialect);
      if ((graph === undefined) !== problems.length > 0) expect.fail(JSON.stringify(schema));
      if (!graph) continue;
      accepted++;
      const value = random.chance(0.05) ? source.junk() : source.value();
      const count = { looks: 0 };
      const walked = explain(graph, counting(value, count));
      most = Math.max(most, count.looks);
      // Compiling costs a thousand times as much as walking, so not every case is compiled.
      if (accepted % 10 !== 0) continue;
      compiled++;
      const judged = compileSchema(schema, { dialect }).validate(value);
      if (JSON.stringify(judged) !== JSON.stringify(walked)) {
        expect([schema, value, judged]).toEqual([schema, value, walked]);
      }
    }
    console.log(
      `seed ${SEED}: ${CASES} cases, ${accepted} schemas accepted, ${compiled} compiled, ` +
        `at most ${most} looks into one payload`,
    );
    expect(accepted).toBeGreaterThan(CASES / 4);
    expect(most).toBeLessThan(limits.walkSteps);
    expect(snapshot()).toBe(before);
  });

  it("code in names, texts and patterns stays text", () => {
    const before = snapshot();
    for (const name of nastyNames) {
      const value = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(name)}}`);
      const schema = {
        type: "object",
        title: name,
        description: name,
        properties: JSON.parse(`{${JSON.stringify(name)}:{"const":${JSON.stringify(name)}}}`),
        required: [name],
        additionalProperties: false,
        definitions: JSON.parse(`{${JSON.stringify(name)}:{"enum":[${JSON.stringify(name)}]}}`),
      };
      expect(compileSchema(schema).validate(value)).toEqual([]);
      expect(compileSchema(schema).validate({})).toHaveLength(1);
      const quoted = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      expect(compileSchema({ pattern: `^${quoted}$` }).validate(name)).toEqual([]);
      const full = {
        patternProperties: { [`^${quoted}$`]: { type: "string" } },
        additionalProperties: false,
      };
      expect(compileSchema(full, { dialect: "draft-07" }).validate(value)).toEqual([]);
    }
    expect(snapshot()).toBe(before);
  });
});

describe("a schema made to run away", () => {
  const looksInto = (schema: unknown, value: unknown) => {
    const count = { looks: 0 };
    const validator = compileSchema(schema, { dialect: "draft-07" });
    const violations = validator.validate(counting(value, count));
    return { ...count, violations };
  };
  const tooMuch = [{ path: "/", message: "checking this value takes more steps than are allowed" }];
  const tooDeep = [{ path: "/", message: "the value is nested too deeply to be checked" }];
  const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
    let value: unknown = 0;
    for (let i = 0; i < depth; i++) value = wrap(value);
    return value;
  };

  it.each(["allOf", "anyOf", "oneOf"])("by doubling itself in %s", (keyword) => {
    const definitions: Record<string, unknown> = { d60: { type: "object", required: ["missing"] } };
    for (let i = 0; i < 60; i++) {
      const next = { $ref: `#/definitions/d${i + 1}` };
      definitions[`d${i}`] =
        keyword === "allOf"
          ? { not: { allOf: [{ not: next }, { not: next }] } }
          : { [keyword]: [next, next] };
    }
    const { looks, violations } = looksInto({ $ref: "#/definitions/d0", definitions }, { a: 1 });
    expect(violations).toEqual(tooMuch);
    expect(looks).toBeLessThan(limits.steps);
  });

  it("by trying each level of the value in several ways", () => {
    const branch = { properties: { a: { $ref: "#/definitions/t" } }, additionalProperties: { const: 0 } };
    const schema = {
      $ref: "#/definitions/t",
      definitions: { t: { anyOf: [branch, branch, { type: "string" }] } },
    };
    const { looks, violations } = looksInto(
      schema,
      nested(60, (inner) => ({ a: inner, b: 1 })),
    );
    expect(violations).toEqual(tooMuch);
    expect(looks).toBeLessThan(limits.steps);
  });

  it("by looking at a long list very often", () => {
    const schema = { allOf: new Array(250).fill({ items: { type: "number" } }) };
    expect(looksInto(schema, new Array(20_000).fill(1)).violations).toEqual(tooMuch);
  });

  it("by looking at many properties very often", () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
    for (const keyword of [{ additionalProperties: { type: "number" } }, { maxProperties: 100_000 }]) {
      expect(looksInto({ allOf: new Array(150).fill(keyword) }, many).violations).toEqual(tooMuch);
    }
  });

  it("by comparing each item with each", () => {
    const { violations } = looksInto(
      { uniqueItems: true },
      Array.from({ length: 300_000 }, (_, i) => ({ i })),
    );
    expect(violations).toEqual(tooMuch);
  });

  it("by matching patterns against long texts", () => {
    const schema = { items: { pattern: "[a-e][a-z]{200}[^a-z]" } };
    const text = "abcdefgh".repeat(10_000);
    expect(looksInto(schema, new Array(10).fill(text)).violations.at(-1)).toEqual(tooMuch[0]);
  });

  it("with a value nested without end", () => {
    const list = {
      $ref: "#/definitions/l",
      definitions: { l: { properties: { a: { $ref: "#/definitions/l" } } } },
    };
    expect(compileSchema(list).validate(nested(100_000, (a) => ({ a })))).toEqual(tooDeep);
    const cycle: { a?: unknown } = {};
    cycle.a = cycle;
    expect(compileSchema(list).validate(cycle)).toEqual(tooDeep);
    expect(compileSchema(list).validate(nested(400, (a) => ({ a })))).toEqual([]);
    expect(compileSchema({ uniqueItems: true }).validate([nested(100_000, (a) => [a]), [1]])).toEqual(
      tooDeep,
    );
    expect(compileSchema({ const: { a: 0 } }).validate(nested(100_000, (a) => ({ a })))).toHaveLength(1);
    expect(
      compileSchema({ enum: Array.from({ length: 20 }, (_, a) => ({ a })) }).validate(
        nested(100_000, (a) => ({ a })),
      ),
    ).toHaveLength(1);
  });

  it("with functions too large for the stack at that depth", () => {
    const properties: Record<string, unknown> = { next: { $ref: "#/definitions/l" } };
    for (let i = 0; i < 250; i++) properties[`p${i}`] = { type: "string", minLength: 1 };
    const schema = {
      $ref: "#/definitions/l",
      definitions: { l: { type: "object", properties, required: ["p0"] } },
    };
    const value = nested(450, (inner) => (inner === 0 ? { p0: "x" } : { p0: "x", next: inner }));
    expect(compileSchema(schema).validate(value)).toEqual([]);
  });
});

describe("a schema beyond the bounds is refused", () => {
  const refusals = (schema: unknown) => tryCompileSchema(schema).problems.map(({ message }) => message);
  const many = (count: number, make: (i: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, make(i)]));

  it.each<[string, () => unknown, string]>([
    ["subschemas", () => ({ anyOf: new Array(2_001).fill({}) }), "the schema has more than 2000 subschemas"],
    [
      "properties",
      () => ({ required: Array.from({ length: 2_001 }, (_, i) => `p${i}`) }),
      "the schema has more than 2000 properties",
    ],
    [
      "enum values",
      () => ({ enum: Array.from({ length: 5_001 }, (_, i) => i) }),
      "the schema has more than 5000 enum values",
    ],
    [
      "references",
      () => ({ anyOf: new Array(1_001).fill({ $ref: "#/definitions/a" }), definitions: { a: {} } }),
      "the schema has more than 1000 references",
    ],
    [
      "patterns",
      () => ({ properties: many(201, (i) => ({ pattern: `a${i}` })) }),
      "the schema has more than 200 patterns",
    ],
    ["values", () => ({ default: new Array(30_000).fill(0) }), "the schema has more than 20000 values"],
    ["text", () => ({ description: "x".repeat(400_001) }), "the schema has more than 400000 characters"],
    [
      "nesting",
      () => {
        let schema: unknown = {};
        for (let i = 0; i < 10_000; i++) schema = { not: schema };
        return schema;
      },
      "the schema is nested deeper than 64 levels",
    ],
    [
      "Unicode properties",
      () => ({ pattern: "\\p{L}".repeat(11) }),
      "the schema has more than 10 Unicode properties in its patterns",
    ],
  ])("in %s", (_name, make, message) => {
    expect(refusals(make())).toContain(message);
  });

  it("in itself", () => {
    const cycle: { not?: unknown } = {};
    cycle.not = cycle;
    expect(refusals(cycle)).toEqual(["the schema is nested deeper than 64 levels"]);
  });

  it("and one just inside them is judged", () => {
    const wide = {
      type: "object",
      properties: many(1_900, () => ({ type: "string" })),
      additionalProperties: false,
    };
    const validator = compileSchema(wide);
    expect(validator.validate(many(1_900, () => "x"))).toEqual([]);
    expect(validator.validate({ ...many(1_900, () => "x"), p7: 1, q: 1 })).toHaveLength(2);
    const anyOf = compileSchema({ anyOf: Array.from({ length: 1_900 }, (_, i) => ({ const: i })) });
    expect(anyOf.validate(1_899)).toEqual([]);
    expect(anyOf.validate(1_900)).toHaveLength(1);
  });
});
