/** What is measured: schemas as people write them, and payloads that are valid. */
export interface Case {
  readonly name: string;
  readonly schema: object;
  /** Several, so that no engine can settle on one value. */
  payload(i: number): unknown;
}

const fields = Array.from({ length: 150 }, (_, i) => `field${i}`);

export const cases: readonly Case[] = [
  {
    name: "a small request",
    schema: {
      type: "object",
      properties: {
        prUrl: { type: "string", description: "GitHub PR URL." },
        severity: { enum: ["low", "med", "high"] },
      },
      required: ["prUrl", "severity"],
      additionalProperties: false,
    },
    payload: (i) => ({ prUrl: `https://example.com/pull/${i}`, severity: ["low", "med", "high"][i % 3] }),
  },
  {
    name: "an order",
    schema: {
      type: "object",
      properties: {
        id: { type: "string", format: "uuid" },
        placed: { type: "string", format: "date-time" },
        customer: {
          type: "object",
          properties: {
            name: { type: "string", minLength: 1, maxLength: 200 },
            email: { type: "string", format: "email" },
            code: { type: "string", pattern: "^[A-Z]{2}-[0-9]{4}$" },
          },
          required: ["name", "email"],
          additionalProperties: false,
        },
        lines: {
          type: "array",
          minItems: 1,
          maxItems: 100,
          items: {
            type: "object",
            properties: {
              sku: { type: "string", minLength: 3 },
              quantity: { type: "integer", minimum: 1 },
              price: { type: "number", exclusiveMinimum: 0 },
              tags: { type: "array", items: { enum: ["new", "sale", "gift"] }, uniqueItems: true },
            },
            required: ["sku", "quantity", "price"],
            additionalProperties: false,
          },
        },
        note: { type: ["string", "null"] },
      },
      required: ["id", "placed", "customer", "lines"],
      additionalProperties: false,
    },
    payload: (i) => ({
      id: `0e37df36-f698-11e6-8dd4-cb9ced3df9${(16 + i).toString(16)}`,
      placed: `2024-03-0${1 + (i % 9)}T12:00:00Z`,
      customer: { name: `Customer ${i}`, email: `c${i}@example.com`, code: `GR-${1000 + i}` },
      lines: Array.from({ length: 5 }, (_, j) => ({
        sku: `sku-${i}-${j}`,
        quantity: j + 1,
        price: 9.5 + j,
        tags: ["new", "gift"],
      })),
      note: i % 2 === 0 ? null : "leave at the door",
    }),
  },
  {
    name: "one of four",
    schema: {
      type: "object",
      properties: {
        event: {
          oneOf: ["opened", "closed", "merged", "commented"].map((kind) => ({
            type: "object",
            properties: { kind: { const: kind }, by: { type: "string" }, [kind]: { type: "integer" } },
            required: ["kind", "by", kind],
          })),
        },
      },
      required: ["event"],
    },
    payload: (i) => {
      const kind = ["opened", "closed", "merged", "commented"][i % 4] ?? "opened";
      return { event: { kind, by: `user-${i}`, [kind]: i } };
    },
  },
  {
    name: "a form of 150 fields",
    schema: {
      type: "object",
      properties: Object.fromEntries(
        fields.map((name) => [name, { type: ["string", "null"], maxLength: 100 }]),
      ),
      required: fields.slice(0, 50),
      additionalProperties: false,
    },
    payload: (i) =>
      Object.fromEntries(fields.map((name, j) => [name, (i + j) % 5 === 0 ? null : `value ${j}`])),
  },
  {
    name: "a tree of 121",
    schema: {
      $ref: "#/definitions/node",
      definitions: {
        node: {
          type: "object",
          properties: {
            name: { type: "string" },
            children: { type: "array", items: { $ref: "#/definitions/node" } },
          },
          required: ["name", "children"],
          additionalProperties: false,
        },
      },
    },
    payload: (i) => tree(`n${i}`, 4),
  },
  {
    name: "a thousand records",
    schema: {
      type: "array",
      items: {
        type: "object",
        properties: { at: { type: "integer" }, value: { type: "number" }, ok: { type: "boolean" } },
        required: ["at", "value"],
        additionalProperties: false,
      },
    },
    payload: (i) =>
      Array.from({ length: 1_000 }, (_, j) => ({ at: i * 1_000 + j, value: j / 7, ok: j % 3 > 0 })),
  },
];

function tree(name: string, depth: number): unknown {
  const children = depth === 0 ? [] : ["a", "b", "c"].map((branch) => tree(name + branch, depth - 1));
  return { name, children };
}
