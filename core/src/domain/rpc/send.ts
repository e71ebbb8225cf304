import type { CapabilitiesConfig } from "#domain/contracts/capabilities";
import type { Bus } from "#platform/bus";
import { isStoaError, StoaError } from "#platform/errors";
import { decodeEnvelope, decodeReply, type Envelope, encodeEnvelope } from "./envelope.ts";
import { rpcError } from "./rpc-error.ts";
import { cancelEvent, eventSubject, requestSubject } from "./subjects.ts";

/** Sends a request and waits for its reply; failures of the way and of the callee arrive as errors. */
export async function sendRequest(
  bus: Bus,
  callee: CapabilitiesConfig,
  envelope: Envelope,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<unknown> {
  const request = bus.request(requestSubject(callee), encodeEnvelope(envelope), options);
  const answer = await request.catch(async (thrown: unknown) => {
    if (options.signal.aborted || isStoaError(thrown, "DEADLINE_EXCEEDED"))
      await takeBack(bus, callee, envelope);
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

/** Nobody waits for the answer any more: the callee may stop working on it. */
async function takeBack(
  bus: Bus,
  callee: CapabilitiesConfig,
  { payload: _payload, ...request }: Envelope,
): Promise<void> {
  const event: Envelope = { ...request, kind: "event", capability: cancelEvent, payload: null };
  // A callee that does not hear of it works on until its deadline, and harms nobody by it.
  await bus.publish(eventSubject(callee), encodeEnvelope(event)).catch(() => {});
}
