import { describe, expect, it } from "vitest";
import { isStoaError } from "#platform/errors";
import { compileSchema, type SchemaDialect, tryCompileSchema } from "./index.ts";

const violations = (schema: unknown, value: unknown, dialect: SchemaDialect = "subset") =>
  compileSchema(schema, { dialect }).validate(value);
const problems = (schema: unknown, dialect: SchemaDialect = "subset") =>
  tryCompileSchema(schema, { dialect }).problems.map(({ path, message }) => `${message} at ${path}`);

const reviewPr = {
  type: "object",
  properties: {
    prUrl: { type: "string", description: "GitHub PR URL." },
    severity: { enum: ["low", "med", "high"] },
  },
  required: ["prUrl", "severity"],
  additionalProperties: false,
};

describe("violations", () => {
  it("are none for a valid value", () => {
    expect(violations(reviewPr, { prUrl: "https://example.com/1", severity: "med" })).toEqual([]);
  });

  it("are all listed, with the seed's paths and texts", () => {
    expect(violations(reviewPr, { severity: "max", extra: 1 })).toEqual([
      { path: "/prUrl", message: 'missing required property "prUrl"' },
      { path: "/severity", message: 'value not in enum ["low", "med", "high"]' },
      { path: "/extra", message: 'additional property "extra" is not allowed' },
    ]);
  });

  it.each<[schema: unknown, value: unknown, path: string, message: string]>([
    [{ type: "string" }, 1, "/", "expected type string but got number"],
    [{ type: ["string", "null"] }, [], "/", "expected type string|null but got array"],
    [{ type: "integer" }, 1.5, "/", "expected type integer but got number"],
    [{ type: "object" }, null, "/", "expected type object but got null"],
    [{ type: "number" }, Number.NaN, "/", "expected type number but got NaN"],
    [{ const: { a: [1] } }, "x", "/", 'expected const {"a":[1]} but got "x"'],
    [{ enum: [1, "a", null] }, 2, "/", 'value not in enum [1, "a", null]'],
    [{ minLength: 3 }, "ab", "/", "string length 2 < minLength 3"],
    [{ maxLength: 1 }, "ab", "/", "string length 2 > maxLength 1"],
    [{ maxLength: 1 }, "😀😀", "/", "string length 2 > maxLength 1"],
    [{ pattern: "^a+$" }, "b", "/", "string does not match pattern /^a+$/"],
    [{ format: "uuid" }, "x", "/", "format uuid: not a UUID"],
    [{ format: "email" }, "x", "/", "format email: not an email"],
    [{ format: "uri" }, "x", "/", "format uri: not a URI"],
    [{ format: "uri-reference" }, "\\", "/", "format uri-reference: not a URI reference"],
    [{ format: "date-time" }, "x", "/", "format date-time: not an RFC-3339 date-time"],
    [{ minimum: 2 }, 1, "/", "1 < minimum 2"],
    [{ maximum: 2 }, 3, "/", "3 > maximum 2"],
    [{ exclusiveMinimum: 2 }, 2, "/", "2 <= exclusiveMinimum 2"],
    [{ exclusiveMaximum: 2 }, 2, "/", "2 >= exclusiveMaximum 2"],
    [{ required: ["k"] }, {}, "/k", 'missing required property "k"'],
    [
      { properties: {}, additionalProperties: false },
      { k: 1 },
      "/k",
      'additional property "k" is not allowed',
    ],
    [{ additionalProperties: { type: "string" } }, { k: 1 }, "/k", "expected type string but got number"],
    [{ minItems: 2 }, [1], "/", "array length 1 < minItems 2"],
    [{ maxItems: 1 }, [1, 2], "/", "array length 2 > maxItems 1"],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, 2, { b: 2, a: 1 }], "/2", "duplicate item"],
    [
      { oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] },
      3,
      "/",
      "oneOf matched 3 schemas (expected exactly 1)",
    ],
    [{ oneOf: [{ minimum: 1 }] }, 0, "/", "oneOf matched 0 schemas (expected exactly 1)"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "/", "anyOf matched zero schemas"],
    [{ not: { type: "string" } }, "a", "/", "not-schema matched"],
    [
      { items: { properties: { "a/b~": { type: "null" } } } },
      [{ "a/b~": 1 }],
      "/0/a~1b~0",
      "expected type null but got number",
    ],
  ])("%j refuses %j", (schema, value, path, message) => {
    expect(violations(schema, value)).toEqual([{ path, message }]);
  });

  it("count characters, not UTF-16 units", () => {
    expect(violations({ maxLength: 2, minLength: 2 }, "😀é")).toEqual([]);
  });

  it("are bounded in number, and say that there are more", () => {
    const found = violations({ items: { type: "string" } }, new Array(5_000).fill(1));
    expect(found).toHaveLength(1_001);
    expect(found.at(-1)).toEqual({ path: "/", message: "only the first 1000 violations are listed" });
  });

  it("are bounded in length, whatever the value", () => {
    const [found] = violations(
      { const: "a" },
      { text: "x".repeat(1_000_000), list: new Array(100_000).fill(7) },
    );
    expect(found?.message.length).toBeLessThan(2_500);
  });

  it("hold for the keywords that only the full drafts have", () => {
    const draft7 = (schema: unknown, value: unknown) => violations(schema, value, "draft-07");
    expect(draft7({ multipleOf: 0.1 }, 0.35)).toEqual([
      { path: "/", message: "0.35 is not a multiple of 0.1" },
    ]);
    expect(draft7({ multipleOf: 0.1 }, 0.3)).toEqual([]);
    expect(draft7({ minProperties: 1 }, {})).toEqual([
      { path: "/", message: "0 properties < minProperties 1" },
    ]);
    expect(draft7({ propertyNames: { maxLength: 1 } }, { ab: 1 })).toEqual([
      { path: "/ab", message: 'property name "ab" is not allowed' },
    ]);
    expect(draft7({ dependencies: { a: ["b"] } }, { a: 1 })).toEqual([
      { path: "/b", message: 'missing property "b", required beside "a"' },
    ]);
    expect(draft7({ contains: { const: 1 } }, [2])).toEqual([
      { path: "/", message: "0 items match contains (expected at least 1)" },
    ]);
    expect(draft7({ items: [{ type: "string" }], additionalItems: false }, ["a", 1])).toEqual([
      { path: "/1", message: "no value is allowed here" },
    ]);
    expect(draft7(JSON.parse('{"if":{"const":1},"then":{"type":"string"},"else":true}'), 1)).toEqual([
      { path: "/", message: "expected type string but got number" },
    ]);
    expect(
      violations({ properties: { a: true }, unevaluatedProperties: false }, { b: 1 }, "2020-12"),
    ).toEqual([{ path: "/b", message: 'unevaluated property "b" is not allowed' }]);
  });
});

describe("a property", () => {
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])(
    "called %s must be the value's own",
    (name) => {
      const schema = JSON.parse(`{"properties":{"${name}":{"type":"string"}},"required":["${name}"]}`);
      expect(violations(schema, {})).toEqual([
        { path: `/${name}`, message: `missing required property "${name}"` },
      ]);
      expect(violations(schema, JSON.parse(`{"${name}":"x"}`))).toEqual([]);
      expect(violations(schema, JSON.parse(`{"${name}":1}`))).toHaveLength(1);
    },
  );

  it("that is inherited is none, at the root and below", () => {
    const inherits: unknown = Object.create({ prUrl: "https://example.com/1", severity: "low" });
    expect(violations(reviewPr, inherits)).toHaveLength(2);
    expect(
      violations({ properties: { a: { required: ["x"] } } }, { a: Object.create({ x: 1 }) }),
    ).toHaveLength(1);
    expect(violations({ not: { properties: { a: { not: {} } } } }, Object.create({ a: 1 }))).toEqual([
      { path: "/", message: "not-schema matched" },
    ]);
  });

  it("may stand on an object without a prototype, or of a class", () => {
    const bare: unknown = Object.assign(Object.create(null), { prUrl: "x", severity: "low" });
    class Request {
      prUrl = "x";
      severity = "low";
    }
    expect(violations(reviewPr, bare)).toEqual([]);
    expect(violations(reviewPr, new Request())).toEqual([]);
  });

  it("that is undefined is absent, as it would be on the wire", () => {
    expect(violations(reviewPr, { prUrl: "x", severity: "low", extra: undefined })).toEqual([]);
    expect(violations(reviewPr, { prUrl: undefined, severity: "low" })).toHaveLength(1);
  });
});

describe("equality", () => {
  it("is by value, whatever the properties are called", () => {
    const odd = JSON.parse('{"constructor":{"a":1},"valueOf":2,"toString":3,"__proto__":[4]}');
    const again = JSON.parse('{"__proto__":[4],"toString":3,"valueOf":2,"constructor":{"a":1}}');
    for (const schema of [{ const: odd }, { enum: [1, odd] }]) {
      expect(violations(schema, again)).toEqual([]);
      expect(violations(schema, { ...odd, more: 1 })).toHaveLength(1);
      expect(violations(schema, {})).toHaveLength(1);
    }
    expect(violations({ uniqueItems: true }, [odd, again])).toHaveLength(1);
    expect(
      violations({ uniqueItems: true }, [1, "1", true, "true", null, "null", [], "[]", {}, "{}"]),
    ).toEqual([]);
  });
});

describe("$ref", () => {
  const tree = {
    $ref: "#/definitions/tree",
    definitions: {
      tree: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/definitions/tree" } },
        },
        required: ["name"],
      },
    },
  };

  it("may be recursive", () => {
    expect(violations(tree, { name: "a", children: [{ name: "b", children: [] }] })).toEqual([]);
    expect(violations(tree, { name: "a", children: [{ name: "b" }, { children: [{}] }] })).toEqual([
      { path: "/children/1/name", message: 'missing required property "name"' },
      { path: "/children/1/children/0/name", message: 'missing required property "name"' },
    ]);
  });

  it("makes void what stands beside it in draft-07, and not in 2020-12", () => {
    const schema = {
      properties: { a: { $ref: "#/definitions/a", maxLength: 1 } },
      definitions: { a: { type: "string" } },
    };
    expect(violations(schema, { a: "abc" })).toEqual([]);
    expect(violations(schema, { a: "abc" }, "draft-07")).toEqual([]);
    expect(violations(schema, { a: "abc" }, "2020-12")).toHaveLength(1);
  });

  it("must lead somewhere in the document, and to a smaller value", () => {
    expect(problems({ $ref: "#/definitions/a" })).toEqual([
      'unresolved reference: $ref "#/definitions/a" at /$ref',
    ]);
    expect(problems({ $ref: "#" })).toEqual([
      'a reference must have the form #/definitions/<name>: $ref "#" at /$ref',
    ]);
    expect(problems({ $ref: "https://example.com/x.json" })).toEqual([
      'only references within the document are allowed: $ref "https://example.com/x.json" at /$ref',
    ]);
    expect(problems({ $ref: "#/definitions/a", definitions: { a: { $ref: "#/definitions/a" } } })).toEqual([
      "this schema leads back to itself without looking at a smaller value at /definitions/a",
    ]);
    expect(problems({ definitions: { a: { anyOf: [{ not: { $ref: "#/definitions/a" } }] } } })).toHaveLength(
      1,
    );
  });

  it("follows escaped and encoded names", () => {
    const schema = { $ref: "#/definitions/a~1b%25", definitions: { "a/b%": { type: "string" } } };
    expect(violations(schema, 1)).toHaveLength(1);
  });
});

describe("a schema is refused at load", () => {
  it.each<[schema: unknown, ...reasons: string[]]>([
    [
      { properties: { x: { patternProperties: {} } } },
      'unsupported keyword "patternProperties" at /properties/x',
    ],
    [{ $id: "https://example.com/a" }, 'unsupported keyword "$id" at /'],
    [true, "a schema must be an object, not a boolean at /"],
    ["x", "a schema must be an object, not a string at /"],
    [undefined, "a undefined is not JSON at /"],
    [
      { items: [{}] },
      "items as a list (tuple form) is not supported: give one schema for all items at /items",
    ],
    [{ properties: { a: true } }, "a schema must be an object, not a boolean at /properties/a"],
    [
      { type: "text" },
      'unknown type "text": a type is one of object, array, string, integer, number, boolean, null at /type',
    ],
    [{ type: [] }, "must name at least one type at /type"],
    [
      { format: "ipv4" },
      'unknown format "ipv4": it can be uuid, email, uri, uri-reference, date-time at /format',
    ],
    [{ pattern: "(" }, 'pattern "(" cannot be used: a group is not closed at /pattern'],
    [
      { pattern: "(?=a)" },
      'pattern "(?=a)" cannot be used: a lookahead cannot be matched in linear time at /pattern',
    ],
    [{ minLength: -1 }, "must be a whole number, 0 or more, not -1 at /minLength"],
    [{ maximum: "1" }, 'must be a number, not "1" at /maximum'],
    [
      { required: ["a", 1, "a"] },
      "must be a string, not a number at /required/1",
      '"a" is listed twice at /required/2',
    ],
    [{ enum: [] }, "must have at least one value at /enum"],
    [{ enum: {} }, "must be a list, not an object at /enum"],
    [{ anyOf: [] }, "must have at least one schema at /anyOf"],
    [{ uniqueItems: 1 }, "must be a boolean, not 1 at /uniqueItems"],
    [{ title: 1 }, "must be a string, not a number at /title"],
    [
      { $schema: "http://json-schema.org/draft-04/schema#" },
      '$schema "http://json-schema.org/draft-04/schema#" is not supported: it can be draft-07 or 2020-12 at /$schema',
    ],
    [{ minimum: 1n }, "a bigint is not JSON at /minimum"],
    [{ default: new Date(0) }, "a value that is no plain object is not JSON at /default"],
  ])("%s", (schema, ...reasons) => {
    expect(problems(schema)).toEqual(reasons);
  });

  it("with every problem in one error", () => {
    try {
      compileSchema({ type: "x", properties: { a: { foo: 1 } } });
      expect.unreachable();
    } catch (thrown) {
      expect(isStoaError(thrown, "SCHEMA_INVALID")).toBe(true);
      expect(thrown).toMatchObject({ details: { problems: [{ path: "/type" }, { path: "/properties/a" }] } });
    }
  });

  it("in 2020-12, where $ids nest, names repeat or a vocabulary is asked for", () => {
    expect(problems({ items: { $id: "a" } }, "2020-12")).toEqual([
      "$id is allowed at the root only at /items/$id",
    ]);
    expect(problems({ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "2020-12")).toEqual([
      'the name "x" is given twice at /$defs/b/$anchor',
    ]);
    expect(problems({ $vocabulary: {} }, "2020-12")).toHaveLength(1);
    expect(problems({ items: [{}] }, "2020-12")).toHaveLength(1);
  });
});

describe("the dialect", () => {
  const patterned = { patternProperties: { "^a": { type: "string" } } };

  it("is the one that $schema names", () => {
    const named = { $schema: "https://json-schema.org/draft/2020-12/schema", ...patterned };
    expect(compileSchema(named).dialect).toBe("2020-12");
    expect(violations(named, { ab: 1 })).toHaveLength(1);
  });

  it("stays the subset where draft-07 is named in a place for the subset", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    expect(compileSchema({ $schema, type: "string" }).dialect).toBe("subset");
    expect(problems({ $schema, ...patterned })).toEqual(['unsupported keyword "patternProperties" at /']);
    expect(compileSchema({ $schema, ...patterned }, { dialect: "draft-07" }).dialect).toBe("draft-07");
  });

  it("asserts formats in the subset and notes them in the others", () => {
    expect(violations({ format: "email" }, "x")).toHaveLength(1);
    expect(violations({ format: "email" }, "x", "draft-07")).toEqual([]);
    expect(violations({ format: "anything" }, "x", "2020-12")).toEqual([]);
  });
});

describe("what was compiled", () => {
  it("does not change with the object it was compiled from", () => {
    const schema = { type: "string", enum: ["a"] };
    const validator = compileSchema(schema);
    schema.enum.push("b");
    schema.type = "number";
    expect(validator.validate("b")).toHaveLength(1);
    expect(validator.validate("a")).toEqual([]);
  });

  it("can be asked through a function that was taken from it", () => {
    const { validate } = compileSchema({ type: "string" });
    expect([validate("a"), validate("b"), validate(1)].map((list) => list.length)).toEqual([0, 0, 1]);
  });
});
