import type { DescMethod } from "@bufbuild/protobuf";
import { type Metadata, status } from "@grpc/grpc-js";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Telemetry } from "#platform/telemetry";
import type { CallHost, IncomingCall } from "./call.ts";
import type { MessageLimit } from "./frames.ts";
import { HeaderReader } from "./headers.ts";
import { Slots } from "./limits.ts";
import { pathOf, type ServedMethod } from "./method.ts";
import { HostMetrics } from "./metrics.ts";
import type { AddOptions, Settings } from "./options.ts";
import { type CallSpan, startCallSpan } from "./tracing.ts";
import type { CallContext, Service } from "./types.ts";

/** What an authenticator is told beside the caller's metadata. */
export interface Caller {
  readonly peer: string;
  readonly method: DescMethod;
}

export type Authenticate<P> = (
  metadata: Pick<Metadata, "get">,
  caller: Caller,
) => Promise<P | undefined> | P | undefined;

export interface ReceptionOptions<P> {
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, "registry" | "tracer" | "tracing"> | undefined;
  readonly authenticate: Authenticate<P> | undefined;
  readonly maxMessageLength: number;
  readonly maxConcurrentCalls: number;
  readonly settings: Settings;
}

const unknownPath = "/unknown/unknown";

/** Meets every call: knows what is served, who may come in, how many are there, and sees them out. */
export class Reception<P> implements CallHost<P>, MessageLimit {
  readonly log: Logger;
  readonly maxMessageLength: number;
  readonly services = new Map<string, Service>();
  readonly #options: ReceptionOptions<P>;
  readonly #methods = new Map<string, ServedMethod<P>>();
  readonly #calls = new Set<IncomingCall<P>>();
  readonly #slots: Slots;
  readonly #metrics: HostMetrics | undefined;
  readonly #closing = new AbortController();
  #whenEmpty: (() => void) | undefined;

  constructor(options: ReceptionOptions<P>) {
    const { log, telemetry, maxConcurrentCalls, settings } = options;
    this.log = log;
    this.maxMessageLength = options.maxMessageLength;
    this.#options = options;
    this.#slots = new Slots({ maxConcurrent: maxConcurrentCalls, setting: settings.maxConcurrentCalls });
    this.#metrics = telemetry && new HostMetrics(telemetry.registry, () => this.#calls.size);
  }

  serve(
    service: Service,
    handlers: object,
    { authenticate = true, limited = true, maxConcurrent, ...limit }: AddOptions,
  ): void {
    if (this.services.has(service.typeName)) {
      throw new StoaError("ALREADY_EXISTS", `${service.typeName} is served already.`);
    }
    const serviceSlots = maxConcurrent === undefined ? undefined : new Slots({ ...limit, maxConcurrent });
    const methods = service.methods.map((desc): ServedMethod<P> => {
      const handler: unknown = Reflect.get(handlers, desc.localName);
      if (typeof handler !== "function") {
        throw new StoaError("INTERNAL", `No handler was given for ${pathOf(desc)}.`);
      }
      return {
        desc,
        path: pathOf(desc),
        handler: (input, ctx: CallContext<P>) => handler.call(handlers, input, ctx),
        authenticated: authenticate,
        hostSlots: limited ? this.#slots : undefined,
        serviceSlots,
        meter: this.#metrics?.meter(pathOf(desc)),
      };
    });
    this.services.set(service.typeName, service);
    for (const method of methods) this.#methods.set(method.path, method);
  }

  method(path: string): ServedMethod<P> | undefined {
    return this.#methods.get(path);
  }

  get draining(): AbortSignal {
    return this.#closing.signal;
  }

  accept(call: IncomingCall<P>): void {
    this.#calls.add(call);
    try {
      this.#admit(call);
    } catch (error) {
      call.fail(error);
    }
  }

  authenticate(call: IncomingCall<P>): Promise<P | undefined> | P | undefined {
    if (call.method === undefined) return undefined;
    return this.#options.authenticate?.(new HeaderReader(call.stream.headers), call.context);
  }

  startSpan({ desc }: ServedMethod<P>, { stream }: IncomingCall<P>): CallSpan | undefined {
    const { telemetry } = this.#options;
    return telemetry?.tracing === true ? startCallSpan(telemetry, desc, stream.headers) : undefined;
  }

  ended(call: IncomingCall<P>, error: StoaError | undefined): void {
    const code = error === undefined ? status.OK : status[error.entry.grpc];
    // Paths that nobody serves share one label: a caller could make up any number of them.
    const meter = call.method === undefined ? this.#metrics?.meter(unknownPath) : call.method.meter;
    meter?.record(code, call.startedAt);
    if (error === undefined) return;
    const fault = code === status.INTERNAL || code === status.DATA_LOSS;
    if (fault) call.context.log.error({ err: error }, "a gRPC call failed");
    else if (this.log.isLevelEnabled("debug"))
      call.context.log.debug({ err: error }, "a gRPC call was refused");
  }

  left(call: IncomingCall<P>): void {
    this.#calls.delete(call);
    if (this.#calls.size === 0) this.#whenEmpty?.();
  }

  checkLength(bytes: Uint8Array): void {
    if (bytes.length > this.maxMessageLength) throw this.tooLarge();
  }

  tooLarge(): StoaError {
    const limit = this.maxMessageLength;
    const setting = this.#options.settings.maxMessageLength;
    return new StoaError(
      "TOO_LARGE",
      `A message is larger than the ${limit} bytes that this server takes or sends; send less, stream it, or raise ${setting}.`,
      { details: { limit } },
    );
  }

  /** Refuses what comes from now on and tells streams that wait for their callers to end. */
  close(): void {
    this.#closing.abort(
      new StoaError("SHUTTING_DOWN", "The core is stopping; connect again in a moment, or to another node."),
    );
    for (const call of this.#calls) call.stopListening(this.#closing.signal.reason);
  }

  /** Resolves when no call is left. */
  empty(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenEmpty = resolve;
    });
  }

  abortAll(): void {
    for (const call of this.#calls) call.abort(this.#closing.signal.reason);
  }

  #admit(call: IncomingCall<P>): void {
    const method = call.method;
    if (method === undefined) throw this.#unknown(call.path);
    this.#closing.signal.throwIfAborted();
    call.keepTime();
    const principal = method.authenticated ? this.authenticate(call) : undefined;
    const go = (known: P | undefined) => {
      call.principal = known;
      call.open(method);
    };
    if (principal instanceof Promise) principal.then(go, (error) => call.fail(error));
    else go(principal);
  }

  #unknown(path: string): StoaError {
    const [, service = "", name = ""] = path.split("/");
    const known = this.services.get(service);
    const asked = JSON.stringify(path.slice(0, 200));
    if (known === undefined) {
      const served = [...this.services.keys()].sort().join(", ");
      return new StoaError("UNKNOWN_METHOD", `${asked} is not served here; the services are: ${served}.`);
    }
    const methods = known.methods.map((method) => method.name).join(", ");
    return new StoaError(
      "UNKNOWN_METHOD",
      `${service} has no method ${JSON.stringify(name.slice(0, 100))}; it has: ${methods}.`,
    );
  }
}
