import type { AgentCapability, CapabilitiesConfig } from "#domain/contracts/capabilities";
import type { Bus, BusMessage } from "#platform/bus";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { noCapability } from "./agent-capabilities.ts";
import { decodeEnvelope, type Envelope, encodeEnvelope, type Reply } from "./envelope.ts";
import { rpcCodeOf, rpcError } from "./rpc-error.ts";
import { cancelEvent, eventSubject, requestSubject } from "./subjects.ts";

export interface Served {
  readonly config: CapabilitiesConfig;
  readonly clock: () => number;
  readonly nextId: () => string;
  readonly log: Logger;
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
export async function serveRequests(bus: Bus, served: Served): Promise<void> {
  const self = `agent://${served.config.agentId}`;
  /** Requests under way, by who asked and its correlation id: only the asker can take one back. */
  const underWay = new Map<string, AbortController>();
  const keyOf = ({ from, correlationId }: Envelope) => JSON.stringify([from, correlationId]);

  await bus.subscribe(eventSubject(served.config), (message) => {
    const envelope = envelopeIn(message);
    if (envelope?.kind === "event" && envelope.capability === cancelEvent)
      underWay.get(keyOf(envelope))?.abort();
  });
  await bus.subscribe(
    requestSubject(served.config),
    async (message) => {
      const envelope = envelopeIn(message);
      // Nobody to answer: the sender of something that is no envelope is not known.
      if (envelope === undefined) return;
      const cancel = new AbortController();
      underWay.set(keyOf(envelope), cancel);
      try {
        const payload = await answer(served, self, envelope, cancel.signal);
        await message.reply?.(encodeEnvelope(responseTo(envelope, self, payload, served.nextId())));
      } finally {
        underWay.delete(keyOf(envelope));
      }
    },
    { concurrency: maxConcurrent },
  );
}

function envelopeIn(message: BusMessage): Envelope | undefined {
  try {
    return decodeEnvelope(message.data);
  } catch {
    return undefined;
  }
}

function responseTo(request: Envelope, self: string, payload: Reply, messageId: string): Envelope {
  return {
    version: 1,
    kind: "response",
    messageId,
    correlationId: request.correlationId,
    causedBy: request.messageId,
    from: self,
    to: request.from,
    capability: request.capability,
    ...(request.tenantId === undefined ? {} : { tenantId: request.tenantId }),
    payload,
  };
}

async function answer(
  served: Served,
  self: string,
  envelope: Envelope,
  cancelled: AbortSignal,
): Promise<Reply> {
  try {
    if (envelope.kind !== "request" || envelope.to !== self) {
      const message = `${self} takes requests addressed to it, and this is a ${envelope.kind} to ${envelope.to}.`;
      throw rpcError("EAGENTRPC_INVALID_ENVELOPE", message);
    }
    const remaining = envelope.deadline === undefined ? longestRequestMs : envelope.deadline - served.clock();
    if (remaining <= 0)
      throw rpcError("EAGENTRPC_DEADLINE_EXCEEDED", "The deadline had passed when the request arrived.");
    const capability = served.config.capabilities.find(({ name }) => name === envelope.capability);
    if (capability === undefined) throw noCapability(served.config, envelope.capability);
    const violations = capability.input?.validate(envelope.payload) ?? [];
    if (violations.length > 0) {
      const message = `The payload of ${capability.name} breaks its inputSchema.`;
      throw rpcError("EAGENTRPC_SCHEMA_VIOLATION", message, { violations });
    }
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(Math.min(remaining, longestRequestMs))]);
    return { ok: true, data: await served.handle(capability, envelope.payload, envelope, signal) };
  } catch (thrown) {
    const error = StoaError.from(thrown);
    if (error.code === "INTERNAL")
      served.log.error({ err: error, capability: envelope.capability }, "a request failed inside the core");
    return { ok: false, error: { code: rpcCodeOf(error), message: error.message, details: error.details } };
  }
}
