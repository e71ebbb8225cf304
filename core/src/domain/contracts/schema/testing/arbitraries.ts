import fc from "fast-check";

const names = fc.constantFrom("a", "b", "c", "a/b", "é~");
const scalars = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  0.5,
  3.25,
  1e300,
  "",
  "a",
  "ab",
  "abc",
  "😀",
  "😀b",
);

/** Values that are likely to be just inside or just outside what the schemas below ask for. */
export const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalars,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const types = fc.constantFrom("object", "array", "string", "integer", "number", "boolean", "null");
const counts = fc.integer({ min: 0, max: 3 });
const bounds = fc.constantFrom(-1, 0, 0.5, 1, 2);
const patterns = fc.constantFrom("^a", "b$", "^[ab]+$", ".", "^\\w{1,2}$", "^$");

/** Schemas that are well formed, of the subset or of the full drafts. */
export function schemas(options: { full: boolean; definitions?: boolean }): fc.Arbitrary<object> {
  const { schema } = fc.letrec<{ schema: object; leaf: object }>((tie) => {
    const sub = tie("schema");
    const list = fc.array(sub, { minLength: 1, maxLength: 3 });
    const subset = {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.array(values, { minLength: 1, maxLength: 4 }),
      const: values,
      properties: fc.dictionary(names, sub, { maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), sub),
      items: sub,
      minimum: bounds,
      maximum: bounds,
      exclusiveMinimum: bounds,
      exclusiveMaximum: bounds,
      minLength: counts,
      maxLength: counts,
      pattern: patterns,
      minItems: counts,
      maxItems: counts,
      uniqueItems: fc.boolean(),
      oneOf: list,
      anyOf: list,
      allOf: list,
      not: sub,
    };
    const more = {
      multipleOf: fc.constantFrom(0.1, 0.5, 1, 2, 0.01),
      contains: sub,
      minProperties: counts,
      maxProperties: counts,
      patternProperties: fc.dictionary(patterns, sub, { maxKeys: 2, noNullPrototype: true }),
      propertyNames: sub,
      if: sub,
      // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword.
      then: sub,
      else: sub,
    };
    const reference = fc.record({ $ref: fc.constantFrom("#/definitions/x", "#/definitions/y") });
    const record = fc
      .record(options.full ? { ...subset, ...more } : subset, { requiredKeys: [] })
      .chain((all) =>
        fc.subarray(Object.entries(all), { maxLength: 4 }).map((some) => Object.fromEntries(some)),
      );
    return {
      leaf: fc.record({ type: types }),
      schema: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        tie("leaf"),
        record,
        ...(options.definitions ? [reference] : []),
      ),
    };
  });
  if (!options.definitions) return schema;
  return fc.tuple(schema, schema, schema).map(([root, x, y]) => ({ ...root, definitions: { x, y } }));
}
