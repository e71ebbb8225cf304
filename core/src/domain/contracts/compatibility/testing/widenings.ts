import type { Json } from "#domain/contracts/schema/structure";
import { chance, one, type Pick } from "./pick.ts";
import { formats, patterns, randomSchema, type Schema, values } from "./random-schema.ts";

/** A change of one keyword that can only let more values in. It changes the schema where it stands. */
type Change = (schema: Schema, pick: Pick) => void;

/** For each keyword of the subset: a schema that has it, and ways to let more in by it. */
export const widenings: Readonly<
  Record<string, { readonly has: (pick: Pick) => Schema; readonly changes: readonly Change[] }>
> = {
  type: {
    has: (pick) => ({ type: chance(pick, 50) ? "integer" : ["string", "null"] }),
    changes: [
      drop("type"),
      (schema) => {
        schema.type = schema.type === "integer" ? "number" : ["string", "null", "array"];
      },
    ],
  },
  enum: {
    has: (pick) => ({ enum: distinct([one(pick, values), one(pick, values)]) }),
    changes: [
      drop("enum"),
      (schema, pick) => {
        schema.enum = distinct([...(schema.enum as Json[]), one(pick, values), "more"]);
      },
    ],
  },
  const: {
    has: (pick) => ({ const: one(pick, values) }),
    changes: [
      drop("const"),
      (schema, pick) => {
        schema.enum = distinct([schema.const as Json, one(pick, values)]);
        delete schema.const;
      },
    ],
  },
  properties: {
    has: (pick) => ({ type: "object", properties: { a: part(pick), b: part(pick) } }),
    changes: [
      drop("properties"),
      (schema) => {
        schema.properties = { a: (schema.properties as { a: Schema }).a };
      },
      (schema) => {
        schema.properties = { ...(schema.properties as object), b: {} };
      },
    ],
  },
  required: {
    has: () => ({ required: ["a", "kind"] }),
    changes: [
      drop("required"),
      (schema) => {
        schema.required = ["a"];
      },
    ],
  },
  additionalProperties: {
    has: (pick) => ({
      properties: { a: part(pick) },
      additionalProperties: chance(pick, 50) ? false : { type: "integer" },
    }),
    changes: [
      drop("additionalProperties"),
      (schema) => {
        schema.additionalProperties = true;
      },
      (schema) => {
        schema.additionalProperties = { type: ["number", "string"] };
      },
      (schema, pick) => {
        // An optional property where there could be none, or where it could only be narrower.
        schema.properties = {
          ...(schema.properties as object),
          more: chance(pick, 50) ? {} : { type: ["integer", "null"] },
        };
      },
    ],
  },
  items: {
    has: (pick) => ({ type: "array", items: part(pick) }),
    changes: [
      drop("items"),
      (schema) => {
        schema.items = { anyOf: [schema.items as Schema, { type: "boolean" }] };
      },
    ],
  },
  minimum: {
    has: () => ({ minimum: 3 }),
    changes: [drop("minimum"), put("minimum", -1), swap("minimum", "exclusiveMinimum", 2.5)],
  },
  maximum: {
    has: () => ({ maximum: 3 }),
    changes: [drop("maximum"), put("maximum", 7.5), swap("maximum", "exclusiveMaximum", 4)],
  },
  exclusiveMinimum: {
    has: () => ({ exclusiveMinimum: 3 }),
    changes: [drop("exclusiveMinimum"), put("exclusiveMinimum", 2), swap("exclusiveMinimum", "minimum", 3)],
  },
  exclusiveMaximum: {
    has: () => ({ exclusiveMaximum: 3 }),
    changes: [drop("exclusiveMaximum"), put("exclusiveMaximum", 4), swap("exclusiveMaximum", "maximum", 3)],
  },
  minLength: { has: () => ({ minLength: 2 }), changes: [drop("minLength"), put("minLength", 1)] },
  maxLength: { has: () => ({ maxLength: 2 }), changes: [drop("maxLength"), put("maxLength", 5)] },
  pattern: {
    has: (pick) => ({ pattern: one(pick, patterns) }),
    changes: [
      drop("pattern"),
      (schema, pick) => {
        schema.pattern = `(?:${schema.pattern})|${one(pick, patterns)}`;
      },
      (schema) => {
        schema.pattern = (schema.pattern as string).replace(/^\^/, "").replace(/\$$/, "");
      },
      (schema) => {
        schema.pattern = (schema.pattern as string)
          .replaceAll("[a-c]", "[a-z]")
          .replaceAll("\\d", "\\w")
          .replaceAll("+", "*");
      },
    ],
  },
  minItems: { has: () => ({ type: "array", minItems: 2 }), changes: [drop("minItems"), put("minItems", 1)] },
  maxItems: { has: () => ({ type: "array", maxItems: 2 }), changes: [drop("maxItems"), put("maxItems", 3)] },
  uniqueItems: {
    has: () => ({ type: "array", uniqueItems: true }),
    changes: [drop("uniqueItems"), put("uniqueItems", false)],
  },
  oneOf: {
    has: (pick) => ({
      oneOf: [
        { type: "string", ...part(pick), enum: ["a", "b"] },
        { type: "integer", minimum: pick.below(5) },
      ],
    }),
    changes: [
      drop("oneOf"),
      (schema) => {
        schema.anyOf = schema.oneOf as Schema[];
        delete schema.oneOf;
      },
      (schema) => {
        // Another branch that shares no value with those there are.
        schema.oneOf = [...(schema.oneOf as Schema[]), { type: "boolean" }];
      },
    ],
  },
  anyOf: {
    has: (pick) => ({ anyOf: [part(pick), part(pick)] }),
    changes: [
      drop("anyOf"),
      (schema, pick) => {
        schema.anyOf = [part(pick), ...(schema.anyOf as Schema[])];
      },
    ],
  },
  allOf: {
    has: (pick) => ({ allOf: [part(pick), part(pick)] }),
    changes: [
      drop("allOf"),
      (schema) => {
        schema.allOf = [(schema.allOf as Schema[])[1] ?? {}];
      },
    ],
  },
  not: {
    has: (pick) => ({ not: { ...part(pick), type: "string" } }),
    changes: [
      drop("not"),
      (schema) => {
        schema.not = { allOf: [schema.not as Schema, { minLength: 3 }] };
      },
    ],
  },
  $ref: {
    has: () => ({ $ref: "#/definitions/widened" }),
    changes: [
      (schema) => {
        delete schema.$ref;
      },
      (schema) => {
        const ref = schema.$ref as string;
        delete schema.$ref;
        schema.anyOf = [{ $ref: ref }, { type: "boolean" }];
      },
    ],
  },
  format: {
    has: (pick) => ({ format: one(pick, formats) }),
    changes: [
      drop("format"),
      (schema) => {
        if (schema.format === "uri") schema.format = "uri-reference";
      },
    ],
  },
  title: { has: () => ({ title: "one" }), changes: [drop("title"), put("title", "another")] },
  description: {
    has: () => ({ description: "one" }),
    changes: [drop("description"), put("description", "another")],
  },
  default: { has: () => ({ default: 1 }), changes: [drop("default"), put("default", [2])] },
  examples: { has: () => ({ examples: [1] }), changes: [drop("examples"), put("examples", [2])] },
};

/** A schema somewhere in which a keyword lets more in afterwards than before. */
export function widenedPair(pick: Pick, keyword: string): { before: Schema; after: Schema } {
  const entry = widenings[keyword];
  if (!entry) throw new Error(`no widening of ${keyword}`);
  const before = entry.has(pick);
  const after = structuredClone(before);
  one(pick, entry.changes)(after, pick);
  const widened = part(pick);
  const wrap = wrapper(pick);
  const finish = (schema: Schema) => ({ ...wrap(schema), definitions: { widened } });
  return { before: finish(before), after: finish(after) };
}

/** A definition that is itself widened, where it is used. */
export function widenedDefinition(pick: Pick): { before: Schema; after: Schema } {
  const keyword = one(
    pick,
    Object.keys(widenings).filter((name) => name !== "$ref"),
  );
  const entry = widenings[keyword];
  if (!entry) throw new Error(`no widening of ${keyword}`);
  const before = entry.has(pick);
  const after = structuredClone(before);
  one(pick, entry.changes)(after, pick);
  // Half of them recursive: the definition is used inside itself.
  const recursive = chance(pick, 50);
  const root = wrapper(pick)({ $ref: "#/definitions/widened" });
  const finish = (schema: Schema): Schema => ({
    ...root,
    definitions: {
      widened: recursive
        ? {
            allOf: [schema],
            properties: { next: { $ref: "#/definitions/widened" } },
            items: { $ref: "#/definitions/widened" },
          }
        : schema,
    },
  });
  return { before: finish(before), after: finish(after) };
}

/** Somewhere in a larger schema, in a place where more below means more above. */
function wrapper(pick: Pick): (schema: Schema) => Schema {
  const steps = Array.from({ length: pick.below(4) }, () => {
    const other = part(pick);
    const more = { ...part(pick) };
    return one<(schema: Schema) => Schema>(pick, [
      (schema) => ({ type: "object", properties: { other, held: schema }, required: ["held"] }),
      (schema) => ({ ...more, properties: { held: schema }, additionalProperties: false }),
      (schema) => ({ type: "object", additionalProperties: schema }),
      (schema) => ({ type: "array", items: schema }),
      (schema) => ({ ...more, allOf: [other, schema] }),
      (schema) => ({ ...more, anyOf: [schema, other] }),
      (schema) => ({ not: { not: schema } }),
    ]);
  });
  return (schema) => steps.reduce((inner, step) => step(inner), schema);
}

/** A small schema of any kind, without references. */
function part(pick: Pick): Schema {
  for (;;) {
    const schema = randomSchema(pick);
    if (!JSON.stringify(schema).includes("definitions")) return schema;
  }
}

function distinct(list: readonly Json[]): Json[] {
  return [...new Map(list.map((value) => [JSON.stringify(value), value])).values()];
}

function drop(keyword: string): Change {
  return (schema) => {
    delete schema[keyword];
  };
}

function put(keyword: string, value: Json): Change {
  return (schema) => {
    schema[keyword] = value;
  };
}

function swap(keyword: string, other: string, value: Json): Change {
  return (schema) => {
    delete schema[keyword];
    schema[other] = value;
  };
}
