import { z } from "zod";

/** An id or a name: short, and free of control characters, since it lands in columns, logs and exports. */
const label = z.string().regex(/^\P{Cc}{1,512}$/u, "expected 1 to 512 characters, no control characters");
const text = z.string().max(16_384);
const duration = z.number().nonnegative();
/** Anything that JSON can hold; canonicalJson judges it. */
const json = z.unknown();

interface KindDefinition<Shape extends z.ZodRawShape> {
  /** What the record says, in a few words: the name of the event in exports. */
  readonly title: string;
  /** 0 to 10, as CEF counts. */
  readonly severity: number;
  readonly fields: Shape;
  /** Fields about a person. They can be erased; the chain holds only a salted digest of them. */
  readonly personal: readonly (keyof Shape & string)[];
  /** The field that `--agent` finds, the one that `--correlation` finds, and the person that `--subject` finds. */
  readonly agent?: keyof Shape & string;
  readonly correlation?: keyof Shape & string;
  readonly subject?: keyof Shape & string;
}

function define<const Kind extends string, Shape extends z.ZodRawShape>(
  kind: Kind,
  definition: KindDefinition<Shape>,
) {
  const schema = z.strictObject({
    kind: z.literal(kind),
    ts: z.number().int().nonnegative(),
    tenantId: label,
    ...definition.fields,
  });
  // In canonical order, so that nothing is left to sort when a record is written.
  const fields = Object.keys(definition.fields).sort();
  const personal: readonly string[] = definition.personal;
  return {
    ...definition,
    kind,
    schema,
    metaFields: fields.filter((field) => !personal.includes(field)),
    personalFields: fields.filter((field) => personal.includes(field)),
  };
}

const inCall = { correlationId: label, sessionId: label.optional() };
const byUser = { userId: label.optional() };

/** Every kind of record, what it holds, and which of it is personal. */
export const kinds = {
  capability_schema_violation: define("capability_schema_violation", {
    title: "Payload broke its schema",
    severity: 4,
    fields: {
      capabilityName: label,
      /** agent://… */
      peerId: label,
      side: z.enum(["request", "response"]),
      violations: z.array(z.strictObject({ path: text, message: text })),
      ...inCall,
    },
    // A message can quote the offending value.
    personal: ["violations"],
    agent: "peerId",
    correlation: "correlationId",
  }),
  invocation: define("invocation", {
    title: "Capability invoked",
    severity: 3,
    fields: {
      invocationId: label,
      capability: label,
      tool: label.optional(),
      /** Who called: an agent's id, or the face that a person used. */
      callerId: label,
      /** Who answered, where that is an agent. */
      calleeId: label.optional(),
      outcome: z.enum(["ok", "error", "blocked", "denied", "timeout", "cancelled", "unknown"]),
      errorCode: label.optional(),
      durationMs: duration,
      ...inCall,
      ...byUser,
      message: text.optional(),
      args: json.optional(),
      result: json.optional(),
    },
    personal: ["userId", "message", "args", "result"],
    agent: "callerId",
    correlation: "correlationId",
    subject: "userId",
  }),
  policy_decision: define("policy_decision", {
    title: "Policy decided",
    severity: 3,
    fields: {
      capability: label,
      tool: label.optional(),
      callerId: label,
      decision: z.enum(["allow", "ask", "block"]),
      /** Where the policy that decided comes from: the manifest, the workspace, the default. */
      source: label,
      ...inCall,
      ...byUser,
    },
    personal: ["userId"],
    agent: "callerId",
    correlation: "correlationId",
    subject: "userId",
  }),
  approval: define("approval", {
    title: "Approval",
    severity: 5,
    fields: {
      approvalId: label,
      capability: label,
      tool: label.optional(),
      callerId: label,
      decision: z.enum(["requested", "approved", "denied", "expired"]),
      ...inCall,
      ...byUser,
      message: text.optional(),
      args: json.optional(),
    },
    personal: ["userId", "message", "args"],
    agent: "callerId",
    correlation: "correlationId",
    subject: "userId",
  }),
  credential_use: define("credential_use", {
    title: "Credential used",
    severity: 5,
    fields: {
      capability: label,
      /** The credential's name, never its value. */
      credential: label,
      scope: z.enum(["core", "workspace", "user"]),
      callerId: label,
      ...inCall,
      ...byUser,
    },
    personal: ["userId"],
    agent: "callerId",
    correlation: "correlationId",
    subject: "userId",
  }),
  registration: define("registration", {
    title: "Agent registration",
    severity: 4,
    fields: {
      agentId: label,
      action: z.enum(["registered", "updated", "unregistered", "expired", "refused"]),
      did: label.optional(),
      url: text.optional(),
      callbackAddress: label.optional(),
      errorCode: label.optional(),
      correlationId: label.optional(),
      ...byUser,
      author: text.optional(),
      message: text.optional(),
    },
    personal: ["userId", "author", "message"],
    agent: "agentId",
    correlation: "correlationId",
    subject: "userId",
  }),
  sign_in: define("sign_in", {
    title: "Sign-in",
    severity: 4,
    fields: {
      method: z.enum(["token", "key", "local", "did"]),
      outcome: z.enum(["ok", "refused"]),
      face: label,
      keyId: label.optional(),
      errorCode: label.optional(),
      correlationId: label.optional(),
      ...byUser,
      address: text.optional(),
    },
    personal: ["userId", "address"],
    correlation: "correlationId",
    subject: "userId",
  }),
  payment: define("payment", {
    title: "Payment",
    severity: 6,
    fields: {
      paymentId: label,
      agentId: label,
      action: z.enum(["required", "verified", "settled", "failed", "refunded"]),
      scheme: label.optional(),
      network: label.optional(),
      asset: label.optional(),
      /** Atomic units, as text: a JSON number cannot hold them all. */
      amount: z.string().regex(/^\d{1,78}$/),
      payTo: label.optional(),
      transaction: label.optional(),
      errorCode: label.optional(),
      ...inCall,
      ...byUser,
      payer: text.optional(),
    },
    personal: ["userId", "payer"],
    agent: "agentId",
    correlation: "correlationId",
    subject: "userId",
  }),
  configuration_change: define("configuration_change", {
    title: "Configuration changed",
    severity: 6,
    fields: {
      /** What was changed: a setting's path, or a noun and its id such as `api_key/abc`. */
      target: label,
      action: z.enum(["created", "updated", "deleted", "revoked"]),
      correlationId: label.optional(),
      ...byUser,
      before: json.optional(),
      after: json.optional(),
    },
    personal: ["userId", "before", "after"],
    correlation: "correlationId",
    subject: "userId",
  }),
  erasure: define("erasure", {
    title: "Personal data erased",
    severity: 7,
    fields: {
      /** Who asked for it. Not erasable: an erasure has to say who did it. */
      by: label,
      reason: text,
      /** The records whose personal fields are gone. */
      erased: z.array(z.strictObject({ id: label, seq: z.number().int().nonnegative() })).min(1),
      correlationId: label.optional(),
    },
    personal: [],
    correlation: "correlationId",
  }),
} as const;

type Kinds = typeof kinds;
export type RecordKind = keyof Kinds;
/** A record of one kind, in full. */
export type RecordOf<Kind extends RecordKind> = z.infer<Kinds[Kind]["schema"]>;
/** A record of any kind, in full. */
export type FullRecord = { [Kind in RecordKind]: RecordOf<Kind> }[RecordKind];
/** What is handed to the ledger: its own clock fills in `ts` where it is left out. */
export type LedgerRecord = { [Kind in RecordKind]: Omit<RecordOf<Kind>, "ts"> & { ts?: number } }[RecordKind];
/** Seed 004's interface. */
export type CapabilitySchemaViolationAuditRecord = RecordOf<"capability_schema_violation">;

export const recordKinds = Object.keys(kinds) as RecordKind[];

export function isRecordKind(name: string): name is RecordKind {
  return Object.hasOwn(kinds, name);
}
