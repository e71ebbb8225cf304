import { z } from "zod";
import { rpcError } from "./rpc-error.ts";

const agentAddress = z.string().regex(/^agent:\/\/[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected agent://<id>");

/** What travels between agents, version 1. Unknown fields are kept out rather than refused: peers add headers. */
const envelopeSchema = z.object({
  version: z.literal(1),
  kind: z.enum(["request", "response", "event"]),
  messageId: z.string().min(1).max(256),
  correlationId: z.string().min(1).max(256),
  causedBy: z.string().max(256).optional(),
  from: agentAddress,
  to: agentAddress,
  capability: z.string().min(1).max(256),
  replyTo: z.string().max(1024).optional(),
  /** Epoch milliseconds. */
  deadline: z.number().int().optional(),
  tenantId: z.string().max(256).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  payload: z.unknown(),
});

export type Envelope = z.infer<typeof envelopeSchema>;

/** The payload of a response. */
const replySchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
  }),
]);
export type Reply = z.infer<typeof replySchema>;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

export function encodeEnvelope(envelope: Envelope): Uint8Array {
  return encoder.encode(JSON.stringify(envelope));
}

export function decodeEnvelope(bytes: Uint8Array): Envelope {
  let json: unknown;
  try {
    json = JSON.parse(decoder.decode(bytes));
  } catch {
    throw rpcError("EAGENTRPC_INVALID_ENVELOPE", "The envelope is not JSON in UTF-8.");
  }
  const parsed = envelopeSchema.safeParse(json);
  if (!parsed.success)
    throw rpcError("EAGENTRPC_INVALID_ENVELOPE", `The envelope is not valid: ${issuesOf(parsed.error)}.`);
  return parsed.data;
}

export function decodeReply(payload: unknown): Reply {
  const parsed = replySchema.safeParse(payload);
  if (!parsed.success)
    throw rpcError("EAGENTRPC_INVALID_ENVELOPE", `The response is not valid: ${issuesOf(parsed.error)}.`);
  return parsed.data;
}

function issuesOf(error: z.ZodError): string {
  return error.issues.map((issue) => `/${issue.path.join("/")} ${issue.message}`).join("; ");
}
