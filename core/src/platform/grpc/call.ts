import {
  Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type StatusObject,
  status,
} from "@grpc/grpc-js";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { HandlerContext } from "./context.ts";
import type { Slots } from "./limits.ts";
import { parse, type ServedMethod, serialize, streamsRequests, streamsResponses } from "./method.ts";
import { toStatus } from "./status.ts";
import { pumpResponses, requestsOf } from "./streams.ts";
import type { CallSpan } from "./tracing.ts";

/** What a call needs of its host. */
export interface CallHost<P> {
  readonly log: Logger;
  readonly draining: AbortSignal;
  authenticate(call: IncomingCall<P>): Promise<P | undefined> | P | undefined;
  /** Decides whether the call may go on, and then opens it or fails it. */
  accept(call: IncomingCall<P>): void;
  startSpan(method: ServedMethod<P>, metadata: Metadata): CallSpan | undefined;
  /** The call has its status; `error` where it failed. */
  ended(call: IncomingCall<P>, code: number, error: StoaError | undefined): void;
  /** Nothing of the call is left. */
  left(call: IncomingCall<P>): void;
  /** What a status means that the transport itself came up with. */
  explain(status: PartialStatus): StoaError;
}

type PartialStatus = Pick<StatusObject, "code" | "details">;
type Reader = { resolve: (message: unknown) => void; reject: (reason: StoaError) => void };

const ok = { code: status.OK, details: "OK", metadata: null };
const noMetadata = new Metadata();
// A stream stops taking messages from its handler while this much waits for the reader.
const maxUnsent = 64 * 1024;
const messageOverhead = 64;

/**
 * One incoming call, from its headers to its status. It stands between grpc-js's transport and its stream
 * classes and never passes anything on to the latter: they read 16 messages ahead of a handler and buffer as
 * many behind it, whatever their size, where this class moves a message only when one is asked for.
 */
export class IncomingCall<P> extends ServerInterceptingCall {
  readonly method: ServedMethod<P> | undefined;
  readonly path: string;
  readonly startedAt: number = performance.now();
  metadata: Metadata = noMetadata;
  principal: P | undefined;
  readonly #host: CallHost<P>;
  readonly #wire: ServerInterceptingCallInterface;
  readonly #sendStatus: (status: PartialStatus & { metadata?: Metadata | null }) => void;
  #context: HandlerContext<P> | undefined;
  #span: CallSpan | undefined;
  #hostSlots: Slots | undefined;
  #serviceSlots: Slots | undefined;
  #leaveQueue: (() => void) | undefined;
  #request: Uint8Array | undefined;
  #reader: Reader | undefined;
  #halfClosed = false;
  #unsent = 0;
  #writer: (() => void) | undefined;
  #controller: AbortController | undefined;
  #aborted: StoaError | undefined;
  #onAbort: (() => void) | undefined;
  #ended = false;
  #running = false;

  constructor(
    wire: ServerInterceptingCallInterface,
    path: string,
    method: ServedMethod<P> | undefined,
    host: CallHost<P>,
  ) {
    super(wire);
    this.#wire = wire;
    this.#host = host;
    this.method = method;
    this.path = path;
    // The transport answers some things on its own (a message too large, a deadline passed) and calls its own
    // sendStatus for it: seen here, so that those end a call like everything else does.
    const sendStatus = wire.sendStatus;
    this.#sendStatus = (sent) => sendStatus.call(wire, sent);
    wire.sendStatus = (sent) => this.#endedByTransport(sent);
  }

  get ended(): boolean {
    return this.#ended;
  }

  get context(): HandlerContext<P> {
    this.#context ??= new HandlerContext(this, this.#host);
    return this.#context;
  }

  /** Made when first asked for: most calls end without anybody looking at it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  get deadline(): Date | undefined {
    const deadline = this.#wire.getDeadline();
    return deadline === Number.POSITIVE_INFINITY ? undefined : new Date(deadline);
  }

  get peer(): string {
    return this.#wire.getPeer();
  }

  // What grpc-js tells: headers, messages, the end of messages, the end of the stream.

  override start(): void {
    this.#wire.start(this);
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.metadata = metadata;
    this.#host.accept(this);
  }

  onReceiveMessage(bytes: Uint8Array): void {
    const method = this.method;
    if (method === undefined || this.#ended) return;
    if (streamsRequests(method.desc)) {
      const reader = this.#reader;
      this.#reader = undefined;
      try {
        reader?.resolve(parse(method.desc.input, bytes, method.desc));
      } catch (error) {
        const malformed = StoaError.from(error);
        this.fail(malformed);
        reader?.reject(malformed);
      }
    } else if (this.#request === undefined) {
      this.#request = bytes;
      this.#wire.startRead();
    } else {
      this.fail(new StoaError("MALFORMED_MESSAGE", `${this.path} takes one message, and a second one came.`));
    }
  }

  onReceiveHalfClose(): void {
    const method = this.method;
    this.#halfClosed = true;
    if (method === undefined || this.#ended) return;
    if (streamsRequests(method.desc)) {
      this.#reader?.resolve(undefined);
      this.#reader = undefined;
    } else if (this.#request === undefined) {
      this.fail(new StoaError("MALFORMED_MESSAGE", `${this.path} takes one message, and none came.`));
    } else {
      this.#run(method);
    }
  }

  /** Told at the end of every call, good or bad; a cancellation is one that has no status yet. */
  onCancel(): void {
    if (this.#ended) return;
    this.abort(new StoaError("CANCELLED", "The caller cancelled the call or went away."));
  }

  // What the host does with the call.

  /** Goes on, now that the caller may. */
  open(method: ServedMethod<P>): void {
    if (this.#ended) return;
    try {
      method.hostSlots?.take(nothing);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#hostSlots = method.hostSlots;
    if (streamsRequests(method.desc)) this.#run(method);
    else this.#wire.startRead();
  }

  /** Ends the call for a reason of the host's, and tells the handler through its signal. */
  abort(reason: StoaError): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.fail(reason);
    this.#leaveQueue?.();
    this.#reader?.reject(reason);
    this.#reader = undefined;
    this.#controller?.abort(reason);
    this.#writer?.();
    this.#onAbort?.();
  }

  /** A conversation that waits for its caller would wait beyond any drain: it is told to stop here. */
  stopListening(reason: StoaError): void {
    if (this.method?.desc.methodKind !== "bidi_streaming") return;
    this.#reader?.reject(reason);
    this.#reader = undefined;
  }

  fail(thrown: unknown): void {
    if (this.#ended) return;
    const error = StoaError.from(thrown);
    this.#end(toStatus(error, this.context.requestId), error);
  }

  // What the streams do with the call.

  read(): Promise<unknown> {
    if (this.#aborted !== undefined) return Promise.reject(this.#aborted);
    if (this.#halfClosed) return Promise.resolve(undefined);
    if (this.#host.draining.aborted && this.method?.desc.methodKind === "bidi_streaming") {
      return Promise.reject(this.#host.draining.reason);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#wire.startRead();
    });
  }

  /** Sends a message. A promise where the reader is behind: the next one has to wait for it. */
  write(method: ServedMethod<P>, message: unknown): Promise<void> | undefined {
    const bytes = serialize(method.desc.output, message);
    const cost = bytes.length + messageOverhead;
    this.#unsent += cost;
    this.#wire.sendMessage(bytes, () => {
      this.#unsent -= cost;
      if (this.#unsent < maxUnsent) this.#writer?.();
    });
    if (this.#unsent < maxUnsent || this.#ended) return undefined;
    return new Promise((resolve) => {
      this.#writer = () => {
        this.#writer = undefined;
        resolve();
      };
    });
  }

  onAbort(then: () => void): void {
    this.#onAbort = then;
  }

  /** Runs something of the handler's inside the call's trace. */
  within<T>(work: () => T): T {
    return this.#span === undefined ? work() : this.#span.run(work);
  }

  #run(method: ServedMethod<P>): void {
    const slots = method.serviceSlots;
    if (slots === undefined) {
      this.#invoke(method);
      return;
    }
    try {
      this.#leaveQueue = slots.take(() => {
        this.#serviceSlots = slots;
        this.#invoke(method);
      });
    } catch (error) {
      this.fail(error);
    }
  }

  #invoke(method: ServedMethod<P>): void {
    this.#running = true;
    this.#span = this.#host.startSpan(method, this.metadata);
    let result: unknown;
    try {
      const input =
        this.#request === undefined ? requestsOf(this) : parse(method.desc.input, this.#request, method.desc);
      result = this.within(() => method.handler(input, this.context));
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (streamsResponses(method.desc)) {
      pumpResponses(this, method, result as AsyncIterable<unknown>).then(
        () => this.#done(),
        (error) => this.#failed(error),
      );
    } else if (result instanceof Promise) {
      result.then(
        (response) => this.#respond(method, response),
        (error) => this.#failed(error),
      );
    } else {
      this.#respond(method, result);
    }
  }

  #respond(method: ServedMethod<P>, response: unknown): void {
    if (!this.#ended) {
      try {
        this.#wire.sendMessage(serialize(method.desc.output, response), nothing);
      } catch (error) {
        this.#failed(error);
        return;
      }
    }
    this.#done();
  }

  #done(): void {
    this.#running = false;
    if (this.#ended) this.#leave();
    else this.#end(ok, undefined);
  }

  #failed(thrown: unknown): void {
    this.#running = false;
    if (this.#ended) this.#leave();
    else this.fail(thrown);
  }

  #endedByTransport(sent: PartialStatus): void {
    if (this.#ended) return;
    this.abort(this.#host.explain(sent));
  }

  #end(sent: PartialStatus & { metadata?: Metadata | null }, error: StoaError | undefined): void {
    this.#ended = true;
    this.#span?.end(error);
    this.#host.ended(this, sent.code, error);
    this.#sendStatus(sent);
    // The slot stays taken while a handler still works, whatever has become of its caller.
    if (!this.#running) this.#leave();
  }

  #leave(): void {
    this.#hostSlots?.release();
    this.#serviceSlots?.release();
    this.#host.left(this);
  }
}

function nothing(): void {}
