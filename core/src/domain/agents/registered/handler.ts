import { AgentHandler, type HandleResponse } from "@stoa/proto/agent_handler_pb";
import { isStoaError, messageOf, StoaError } from "#platform/errors";
import { createGrpcClient } from "#platform/grpc";
import type { Logger } from "#platform/log";

export interface ChatMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string;
}

export interface HandlerAnswer {
  readonly state: "completed" | "input-required" | "auth-required";
  readonly text: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An answer travels on in one event, and with those before it as one history: both have to fit into a message. */
const mostBytes = 1024 * 1024;

/** The connection to one registered agent's AgentHandler. Calls do not wait for one another. */
export class HandlerConnection {
  readonly address: string;
  readonly #client;
  readonly #log: Logger;

  constructor(address: string, log: Logger) {
    this.address = address;
    this.#log = log;
    this.#client = createGrpcClient(AgentHandler, address, {
      reconnectBackoffMs: { initial: 100, max: 5_000 },
    });
  }

  async handle(
    request: { messages: readonly ChatMessage[]; taskId: string; contextId: string },
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<HandlerAnswer> {
    const { messages, taskId, contextId } = request;
    const response = await this.#client
      .handleMessages({ messages: messages.map((message) => ({ ...message })), taskId, contextId }, options)
      .catch((thrown: unknown) => {
        const failure = asAgentFailure(thrown, options.timeoutMs);
        if (failure.code !== "CANCELLED")
          this.#log.warn({ callback: this.address, err: thrown }, "the agent's handler failed");
        throw failure;
      });
    const answer = answerOf(response);
    const bytes = [answer.text, ...Object.entries(answer.metadata).flat()].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    );
    if (bytes <= mostBytes) return answer;
    throw new StoaError(
      "AGENT_FAILED",
      `The agent's answer has ${bytes} bytes; at most ${mostBytes} are passed on.`,
    );
  }

  async healthy(timeoutMs: number): Promise<boolean> {
    try {
      return (await this.#client.healthCheck({}, { timeoutMs })).healthy;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#client.close();
  }
}

function answerOf(response: HandleResponse): HandlerAnswer {
  const { metadata } = response;
  switch (response.state) {
    case "":
    case "completed":
      return { state: "completed", text: response.content, metadata };
    case "input-required":
    case "payment-required":
      return { state: "input-required", text: response.prompt || response.content, metadata };
    case "auth-required":
      return {
        state: "auth-required",
        text: response.prompt || response.content || "The agent needs you to sign in.",
        metadata,
      };
    default:
      throw new StoaError(
        "AGENT_FAILED",
        `The agent answered with the unknown state ${JSON.stringify(response.state)}.`,
      );
  }
}

function asAgentFailure(thrown: unknown, timeoutMs: number): StoaError {
  if (isStoaError(thrown, "CANCELLED")) return thrown;
  if (isStoaError(thrown, "DEADLINE_EXCEEDED")) {
    return new StoaError(
      "DEADLINE_EXCEEDED",
      `The agent did not answer within ${timeoutMs / 1000} s (GRPC__HANDLER_TIMEOUT).`,
    );
  }
  if (isStoaError(thrown) && thrown.details.grpcStatus === "UNAVAILABLE") {
    // gRPC's own text names the address, which is the owner's business and not that of everyone who asks.
    return new StoaError("AGENT_FAILED", "The agent could not be reached.", { cause: thrown });
  }
  return new StoaError("AGENT_FAILED", `The agent's handler failed: ${messageOf(thrown)}`, { cause: thrown });
}
