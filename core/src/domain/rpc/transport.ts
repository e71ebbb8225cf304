import type { AgentCapability, CapabilitiesConfig } from "#domain/contracts/capabilities";
import type { Bus, Subscription } from "#platform/bus";
import { isStoaError, StoaError } from "#platform/errors";
import { noCapability } from "./agent-capabilities.ts";
import { decodeEnvelope, decodeReply, type Envelope, encodeEnvelope, type Reply } from "./envelope.ts";
import { rpcCodeOf, rpcError } from "./rpc-error.ts";

/** Where an agent of the fleet takes its requests on the memory transport. */
export function requestSubject(config: CapabilitiesConfig): string {
  const memory = config.transports.find((transport) => transport.kind === "memory");
  return memory?.requests ?? `agents.${config.agentId}.requests`;
}

/** Sends a request and waits for its reply; failures of the way and of the callee arrive as errors. */
export async function sendRequest(
  bus: Bus,
  subject: string,
  envelope: Envelope,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<unknown> {
  const answer = await bus.request(subject, encodeEnvelope(envelope), options).catch((thrown: unknown) => {
    if (isStoaError(thrown, "DEADLINE_EXCEEDED")) {
      throw rpcError(
        "EAGENTRPC_TIMEOUT",
        `${envelope.to} did not answer ${envelope.capability} within ${options.timeoutMs} ms.`,
      );
    }
    if (isStoaError(thrown, "UNAVAILABLE")) {
      throw rpcError(
        "EAGENTRPC_NO_TRANSPORT",
        `Nobody takes requests for ${envelope.to}; is the agent running?`,
      );
    }
    throw thrown;
  });
  const response = decodeEnvelope(answer.data);
  // A reply counts only if it answers this very request and comes from whom it was sent to.
  if (
    response.kind !== "response" ||
    response.correlationId !== envelope.correlationId ||
    response.from !== envelope.to
  ) {
    throw rpcError(
      "EAGENTRPC_INVALID_ENVELOPE",
      `The reply does not belong to this request of ${envelope.capability}.`,
    );
  }
  const reply = decodeReply(response.payload);
  if (reply.ok) return reply.data;
  throw new StoaError("AGENT_FAILED", `${envelope.to} failed: ${reply.error.message}`, {
    details: {
      rpcCode: reply.error.code,
      ...(reply.error.details === undefined ? {} : { peerDetails: reply.error.details }),
    },
  });
}

export interface Served {
  readonly config: CapabilitiesConfig;
  readonly clock: () => number;
  readonly nextId: () => string;
  handle(
    capability: AgentCapability,
    payload: unknown,
    envelope: Envelope,
    signal: AbortSignal,
  ): Promise<unknown>;
}

const longestRequestMs = 600_000;
/** One slow request must not hold up the next. */
const maxConcurrent = 64;

/** Takes the requests of one agent, checks them as if nobody had checked before, and replies. */
export function serveRequests(bus: Bus, served: Served): Promise<Subscription> {
  const self = `agent://${served.config.agentId}`;
  return bus.subscribe(
    requestSubject(served.config),
    async (message) => {
      let envelope: Envelope;
      try {
        envelope = decodeEnvelope(message.data);
      } catch {
        return; // Nobody to answer: the sender of something that is no envelope is not known.
      }
      const payload = await answer(served, self, envelope);
      const response: Envelope = {
        version: 1,
        kind: "response",
        messageId: served.nextId(),
        correlationId: envelope.correlationId,
        causedBy: envelope.messageId,
        from: self,
        to: envelope.from,
        capability: envelope.capability,
        ...(envelope.tenantId === undefined ? {} : { tenantId: envelope.tenantId }),
        payload,
      };
      await message.reply?.(encodeEnvelope(response));
    },
    { concurrency: maxConcurrent },
  );
}

async function answer(served: Served, self: string, envelope: Envelope): Promise<Reply> {
  try {
    if (envelope.kind !== "request" || envelope.to !== self) {
      throw rpcError(
        "EAGENTRPC_INVALID_ENVELOPE",
        `${self} takes requests addressed to it, and this is a ${envelope.kind} to ${envelope.to}.`,
      );
    }
    const remaining = envelope.deadline === undefined ? longestRequestMs : envelope.deadline - served.clock();
    if (remaining <= 0)
      throw rpcError("EAGENTRPC_DEADLINE_EXCEEDED", "The deadline had passed when the request arrived.");
    const capability = served.config.capabilities.find(({ name }) => name === envelope.capability);
    if (capability === undefined) throw noCapability(served.config, envelope.capability);
    const violations = capability.input?.validate(envelope.payload) ?? [];
    if (violations.length > 0) {
      throw rpcError(
        "EAGENTRPC_SCHEMA_VIOLATION",
        `The payload of ${capability.name} breaks its inputSchema.`,
        { violations },
      );
    }
    const signal = AbortSignal.timeout(Math.min(remaining, longestRequestMs));
    return { ok: true, data: await served.handle(capability, envelope.payload, envelope, signal) };
  } catch (thrown) {
    const error = StoaError.from(thrown);
    return { ok: false, error: { code: rpcCodeOf(error), message: error.message, details: error.details } };
  }
}
