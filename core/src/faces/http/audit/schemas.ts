import { recordKinds } from "#domain/ledger";

const time = { type: "integer", minimum: 0, description: "Epoch milliseconds." };
const name = { type: "string", maxLength: 512 };
const workspaceId = {
  ...name,
  description: "The caller's own, unless the caller is this machine's operator.",
};
const open = { type: "object", additionalProperties: true };

function querystring(properties: object) {
  return { type: "object", additionalProperties: false, properties: { workspaceId, ...properties } };
}

export const querySchema = {
  tags: ["audit"],
  summary: "Find ledger records, newest first",
  querystring: querystring({
    kind: { type: "string", enum: recordKinds },
    since: { ...time, description: "From this time on, epoch milliseconds." },
    until: { ...time, description: "Before this time, epoch milliseconds." },
    agent: name,
    correlation: name,
    limit: { type: "integer", minimum: 1, maximum: 1_000 },
    cursor: { type: "string", maxLength: 2_048, description: "`next` of the page before." },
  }),
  response: {
    200: {
      type: "object",
      properties: { entries: { type: "array", items: open }, next: { type: "string" } },
    },
  },
};

export const verifySchema = {
  tags: ["audit"],
  summary:
    "Verify the ledger; with `accept: application/x-ndjson`, progress comes line by line before the report",
  body: {
    type: "object",
    additionalProperties: false,
    properties: {
      workspaceId,
      from: { type: "integer", minimum: 1, description: "The size of a checkpoint to start from." },
    },
  },
};

export const proofSchema = {
  tags: ["audit"],
  summary: "Prove that a record is in the ledger",
  params: { type: "object", required: ["id"], properties: { id: name } },
  querystring: querystring({ withoutPayload: { type: "boolean" } }),
};

export const continuationSchema = {
  tags: ["audit"],
  summary: "Prove that the newest checkpoint continues an earlier one",
  querystring: {
    ...querystring({ from: { type: "integer", minimum: 1, description: "The earlier checkpoint's size." } }),
    required: ["from"],
  },
};

export const exportSchema = {
  tags: ["audit"],
  summary: "A stretch of the chain with all that an offline verifier needs",
  querystring: querystring({
    from: { type: "integer", minimum: 0, default: 0, description: "The place of the first record." },
    limit: { type: "integer", minimum: 1, maximum: 1_000 },
  }),
};

export const eraseSchema = {
  tags: ["audit"],
  summary: "Erase the personal fields of records, and put on record that it was done",
  body: {
    type: "object",
    required: ["reason"],
    additionalProperties: false,
    properties: {
      workspaceId,
      records: { type: "array", minItems: 1, maxItems: 10_000, items: name },
      subject: { ...name, minLength: 1, description: "Every record about this user." },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: 1_024,
        description: "Stays in the ledger: name no person.",
      },
    },
  },
};

export const checkpointsSchema = {
  tags: ["audit"],
  summary: "Signed checkpoints, newest first",
  querystring: querystring({ limit: { type: "integer", minimum: 1, maximum: 1_000 } }),
};

export const keysSchema = { tags: ["audit"], summary: "The public keys whose checkpoints count here" };
