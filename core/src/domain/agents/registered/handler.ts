import { AgentHandler } from "@stoa/proto/agent_handler_pb";
import { isStoaError, messageOf, StoaError } from "#platform/errors";
import { createGrpcClient } from "#platform/grpc";

export interface ChatMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string;
}

export interface HandlerAnswer {
  readonly state: "completed" | "input-required" | "auth-required";
  readonly text: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The connection to one registered agent's AgentHandler. Calls do not wait for one another. */
export class HandlerConnection {
  readonly address: string;
  readonly #client;

  constructor(address: string) {
    this.address = address;
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
        throw asAgentFailure(thrown, options.timeoutMs);
      });
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

function asAgentFailure(thrown: unknown, timeoutMs: number): StoaError {
  if (isStoaError(thrown, "CANCELLED")) return thrown;
  if (isStoaError(thrown, "DEADLINE_EXCEEDED")) {
    return new StoaError(
      "DEADLINE_EXCEEDED",
      `The agent did not answer within ${timeoutMs / 1000} s (GRPC__HANDLER_TIMEOUT).`,
    );
  }
  return new StoaError("AGENT_FAILED", `The agent's handler failed: ${messageOf(thrown)}`, { cause: thrown });
}
