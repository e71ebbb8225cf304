import type { Readable } from "node:stream";
import type { Agent, Tasks } from "#domain/agents";
import type { Principal } from "#domain/identity";
import type { Logger } from "#platform/log";
import type { ExecutorDependencies } from "./executor.ts";
import type { RpcRequest } from "./json-rpc.ts";
import type { SdkService } from "./sdk-service.ts";

export interface A2aDependencies extends ExecutorDependencies {
  readonly tasks: Tasks;
  readonly log: Logger;
}

/** What a JSON-RPC request comes to: one object, or a stream of server-sent events. */
export type RpcAnswer =
  | { readonly kind: "single"; readonly body: unknown }
  | {
      readonly kind: "stream";
      readonly headers: Readonly<Record<string, string>>;
      readonly events: Readable;
    };

/**
 * The A2A face of every agent, at whatever address it is reached. The SDK behind it is loaded for the first who asks:
 * a core need not wait for it before it listens.
 */
export class A2aService {
  readonly #deps: A2aDependencies;
  #sdk: Promise<SdkService> | undefined;

  constructor(deps: A2aDependencies) {
    this.#deps = deps;
  }

  async card(agent: Agent, url: string): Promise<unknown> {
    return (await this.#load()).card(agent, url);
  }

  async call(agent: Agent, request: RpcRequest, principal: Principal, version: string): Promise<RpcAnswer> {
    return (await this.#load()).call(agent, request, principal, version);
  }

  #load(): Promise<SdkService> {
    this.#sdk ??= import("./sdk-service.ts").then(({ SdkService }) => new SdkService(this.#deps));
    return this.#sdk;
  }
}
