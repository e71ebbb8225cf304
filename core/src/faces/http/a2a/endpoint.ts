import { AgentCard, formatSSEEvent } from "@a2a-js/sdk";
import { DefaultRequestHandler, JsonRpcTransportHandler, validateVersion } from "@a2a-js/sdk/server";
import type { Agent, Tasks } from "#domain/agents";
import type { Principal } from "#domain/identity";
import { contextFor } from "./call-context.ts";
import { cardOf } from "./card.ts";
import { type ExecutorDependencies, TurnExecutor } from "./executor.ts";
import { taskStoreFor } from "./task-store.ts";

export interface EndpointDependencies extends ExecutorDependencies {
  readonly tasks: Tasks;
}

/** What a JSON-RPC request comes to: one object, or a stream of server-sent events. */
export type RpcAnswer =
  | { readonly kind: "single"; readonly body: unknown }
  | { readonly kind: "stream"; readonly events: AsyncIterable<string> };

/** The A2A face of one agent at one address. */
export class AgentEndpoint {
  readonly #card: AgentCard;
  readonly #handler: JsonRpcTransportHandler;

  constructor(agent: Agent, url: string, deps: EndpointDependencies) {
    this.#card = cardOf(agent, url);
    const handler = new DefaultRequestHandler(
      this.#card,
      taskStoreFor(agent.id, deps.tasks),
      new TurnExecutor(agent, deps),
    );
    this.#handler = new JsonRpcTransportHandler(handler);
  }

  card(): unknown {
    return AgentCard.toJSON(this.#card);
  }

  async call(body: Record<string, unknown>, principal: Principal, version: string): Promise<RpcAnswer> {
    try {
      validateVersion(version, this.#card, "JSONRPC");
    } catch (thrown) {
      return {
        kind: "single",
        body: {
          jsonrpc: "2.0",
          id: body.id ?? null,
          error: JsonRpcTransportHandler.mapToJSONRPCError(thrown),
        },
      };
    }
    const answer = await this.#handler.handle(body, contextFor(principal, version));
    if (Symbol.asyncIterator in answer) return { kind: "stream", events: toEvents(answer) };
    return { kind: "single", body: answer };
  }
}

async function* toEvents(responses: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const response of responses) yield formatSSEEvent(response);
}
