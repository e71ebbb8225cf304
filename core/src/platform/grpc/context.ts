import { randomUUID } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { Metadata } from "@grpc/grpc-js";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { CallHost, IncomingCall } from "./call.ts";
import { requestIdHeader } from "./status.ts";
import type { CallContext } from "./types.ts";

// How the call was carried, which is nobody's business above.
const transportHeaders = [
  "grpc-timeout",
  "grpc-encoding",
  "grpc-accept-encoding",
  "accept-encoding",
  "te",
  "content-type",
];
const usableId = /^[\w.:-]{1,128}$/;

/** Everything here is made when a handler first looks at it, so that what it does not use costs nothing. */
export class HandlerContext<P> implements CallContext<P> {
  readonly #call: IncomingCall<P>;
  readonly #host: CallHost<P>;
  #requestId: string | undefined;
  #log: Logger | undefined;
  #metadata: Metadata | undefined;

  constructor(call: IncomingCall<P>, host: CallHost<P>) {
    this.#call = call;
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get draining(): AbortSignal {
    return this.#host.draining;
  }

  get deadline(): Date | undefined {
    return this.#call.deadline;
  }

  get metadata(): Metadata {
    if (this.#metadata === undefined) {
      this.#metadata = Metadata.fromHttp2Headers(this.#call.stream.headers);
      for (const name of transportHeaders) this.#metadata.remove(name);
    }
    return this.#metadata;
  }

  get peer(): string {
    return this.#call.stream.peer;
  }

  get principal(): P | undefined {
    return this.#call.principal;
  }

  get method(): DescMethod {
    const method = this.#call.method;
    if (method === undefined) throw new StoaError("UNKNOWN_METHOD", `${this.#call.path} is not served.`);
    return method.desc;
  }

  get requestId(): string {
    if (this.#requestId === undefined) {
      const sent = this.#call.stream.headers[requestIdHeader];
      this.#requestId = typeof sent === "string" && usableId.test(sent) ? sent : randomUUID();
    }
    return this.#requestId;
  }

  get log(): Logger {
    this.#log ??= this.#host.log.child({ requestId: this.requestId, method: this.#call.path });
    return this.#log;
  }

  async reauthenticate(): Promise<P | undefined> {
    this.#call.principal = await this.#host.authenticate(this.#call);
    return this.#call.principal;
  }
}
