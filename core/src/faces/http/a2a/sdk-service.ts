import type { Readable } from "node:stream";
import { AgentCard, formatSSEEvent, SSE_HEADERS } from "@a2a-js/sdk";
import { JsonRpcTransportHandler, validateVersion } from "@a2a-js/sdk/server";
import type { Agent } from "#domain/agents";
import type { Principal } from "#domain/identity";
import type { Logger } from "#platform/log";
import { contextFor } from "./call-context.ts";
import { cardOf, spoken } from "./card.ts";
import { TurnExecutor } from "./executor.ts";
import { type RpcRequest, rpcFailure } from "./json-rpc.ts";
import { readAhead } from "./read-ahead.ts";
import { RequestHandler } from "./request-handler.ts";
import { consoleIntoLog } from "./sdk-console.ts";
import type { A2aDependencies, RpcAnswer } from "./service.ts";
import { taskStoreOn } from "./task-store.ts";

/** The protocol by the SDK, which takes a moment to load. */
export class SdkService {
  readonly #rpc: JsonRpcTransportHandler;
  readonly #log: Logger;

  constructor(deps: A2aDependencies) {
    const store = taskStoreOn(deps.tasks);
    this.#rpc = new JsonRpcTransportHandler(new RequestHandler(store, new TurnExecutor(deps)));
    this.#log = deps.log.child({ part: "a2a" });
  }

  card(agent: Agent, url: string): unknown {
    return AgentCard.toJSON(cardOf(agent, url));
  }

  call(agent: Agent, request: RpcRequest, principal: Principal, version: string): Promise<RpcAnswer> {
    return consoleIntoLog(this.#log, async (): Promise<RpcAnswer> => {
      try {
        validateVersion(version, spoken, "JSONRPC");
        const context = contextFor({ principal, agentId: agent.id }, version);
        const answer = await this.#rpc.handle(withoutTenant(request), context);
        if (!(Symbol.asyncIterator in answer)) return { kind: "single", body: answer };
        // The first event is waited for, because until then it can still be refused with an error of its own.
        const first = await answer.next();
        return { kind: "stream", headers: SSE_HEADERS, events: this.#events(first, answer, request) };
      } catch (thrown) {
        return { kind: "single", body: failed(request, thrown) };
      }
    });
  }

  #events(
    first: IteratorResult<unknown, void>,
    rest: AsyncGenerator<unknown, void>,
    request: RpcRequest,
  ): Readable {
    async function* events() {
      try {
        if (first.done !== true) yield formatSSEEvent(first.value);
        for await (const event of rest) yield formatSSEEvent(event);
      } catch (thrown) {
        yield formatSSEEvent(failed(request, thrown));
      }
    }
    // The SDK stores a task's events as it hands them out, so a message's are read whether or not the client does.
    return readAhead(events(), { toTheEnd: request.method === "SendStreamingMessage" });
  }
}

function failed(request: RpcRequest, thrown: unknown) {
  return rpcFailure(request, JsonRpcTransportHandler.mapToJSONRPCError(thrown));
}

/** Our cards name no tenant. The SDK would keep a tenant's running tasks apart, out of reach for a call without it. */
function withoutTenant(request: RpcRequest): RpcRequest {
  const { params } = request;
  if (typeof params !== "object" || params === null || !("tenant" in params)) return request;
  const { tenant: _tenant, ...kept } = params;
  return { ...request, params: kept };
}
