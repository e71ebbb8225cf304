import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import { HandlerContext } from "./context.ts";
import type { IncomingStream } from "./incoming-stream.ts";
import type { Slots } from "./limits.ts";
import { parse, type ServedMethod, serialize, streamsRequests, streamsResponses } from "./method.ts";
import { okTrailers, toTrailers } from "./status.ts";
import { pumpResponses, requestsOf } from "./streams.ts";
import { timeoutOf } from "./timeout.ts";
import type { CallSpan } from "./tracing.ts";

/** What a call needs of its host. */
export interface CallHost<P> {
  readonly log: Logger;
  readonly draining: AbortSignal;
  authenticate(call: IncomingCall<P>): Promise<P | undefined> | P | undefined;
  checkLength(bytes: Uint8Array): void;
  startSpan(method: ServedMethod<P>, call: IncomingCall<P>): CallSpan | undefined;
  /** The call has its status: an error, or success. */
  ended(call: IncomingCall<P>, error: StoaError | undefined): void;
  /** Nothing of the call is left. */
  left(call: IncomingCall<P>): void;
}

/** One call, from its headers to its status: opened by the host, answered by a handler, ended once. */
export class IncomingCall<P> {
  readonly stream: IncomingStream;
  readonly method: ServedMethod<P> | undefined;
  readonly startedAt: number = performance.now();
  principal: P | undefined;
  readonly #host: CallHost<P>;
  #context: HandlerContext<P> | undefined;
  #span: CallSpan | undefined;
  #hostSlots: Slots | undefined;
  #serviceSlots: Slots | undefined;
  #leaveQueue: (() => void) | undefined;
  #request: Buffer | undefined;
  #deadline: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;
  #aborted: StoaError | undefined;
  #onAbort: (() => void) | undefined;
  #ended = false;
  #running = false;

  constructor(stream: IncomingStream, method: ServedMethod<P> | undefined, host: CallHost<P>) {
    this.stream = stream;
    this.method = method;
    this.#host = host;
    stream.onClose = () => {
      if (!this.#ended) this.abort(new StoaError("CANCELLED", "The caller cancelled the call or went away."));
    };
  }

  get path(): string {
    return this.stream.headers[":path"] ?? "";
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
    return this.#deadline === undefined ? undefined : new Date(this.#deadline);
  }

  /** Starts the clock that the caller set. */
  keepTime(): void {
    const ms = timeoutOf(this.stream.headers["grpc-timeout"]);
    if (ms === undefined) return;
    this.#deadline = Date.now() + ms;
    this.#timer = setTimeout(() => {
      this.abort(new StoaError("DEADLINE_EXCEEDED", "The call's deadline passed before it was answered."));
    }, ms);
  }

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
    if (streamsRequests(method.desc)) {
      this.stream.openReads();
      this.#queue(method);
    } else {
      this.stream.readOnly(this);
    }
  }

  /** The message of a call that takes one. */
  received(bytes: Buffer): void {
    if (this.method === undefined || this.#ended) return;
    this.#request = bytes;
    this.#queue(this.method);
  }

  /** Ends the call for a reason that is not the handler's, and tells the handler through its signal. */
  abort(reason: StoaError): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.fail(reason);
    this.#leaveQueue?.();
    this.stream.interrupt(reason);
    this.#controller?.abort(reason);
    this.#onAbort?.();
  }

  /** A conversation that waits for its caller would wait beyond any drain: it is told to stop here. */
  stopListening(reason: StoaError): void {
    if (this.method?.desc.methodKind === "bidi_streaming") this.stream.interrupt(reason);
  }

  fail(thrown: unknown): void {
    if (this.#ended) return;
    const error = StoaError.from(thrown);
    const trailers = toTrailers(error, this.context.requestId);
    this.#end(error);
    if (this.#aborted !== undefined && this.stream.unsent > 0) this.stream.reset();
    else this.stream.end(trailers);
  }

  /** The caller's next message, for the handler. */
  async read(method: ServedMethod<P>): Promise<unknown> {
    if (this.#aborted !== undefined) throw this.#aborted;
    if (method.desc.methodKind === "bidi_streaming") this.#host.draining.throwIfAborted();
    try {
      const bytes = await this.stream.next();
      return bytes === undefined ? undefined : parse(method.desc.input, bytes, method.desc);
    } catch (error) {
      // A handler may catch what its input throws: the call is over all the same, unless it was only told to stop.
      if (error !== this.#host.draining.reason) this.fail(error);
      throw error;
    }
  }

  /** Sends a message of the handler's. A promise where the caller is behind. */
  write(method: ServedMethod<P>, message: unknown): Promise<void> | undefined {
    const bytes = serialize(method.desc.output, message);
    this.#host.checkLength(bytes);
    return this.stream.write(bytes);
  }

  onAbort(then: () => void): void {
    this.#onAbort = then;
  }

  /** Runs something of the handler's inside the call's trace. */
  within<T>(work: () => T): T {
    return this.#span === undefined ? work() : this.#span.run(work);
  }

  #queue(method: ServedMethod<P>): void {
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
    this.#span = this.#host.startSpan(method, this);
    let result: unknown;
    try {
      const input =
        this.#request === undefined
          ? requestsOf(this, method)
          : parse(method.desc.input, this.#request, method.desc);
      result = this.within(() => method.handler(input, this.context));
    } catch (error) {
      this.#failed(error);
      return;
    }
    const failed = (error: unknown) => this.#failed(error);
    if (streamsResponses(method.desc)) {
      pumpResponses(this, method, result as AsyncIterable<unknown>).then(() => this.#done(), failed);
    } else if (result instanceof Promise) {
      result.then((response) => this.#answer(method, response), failed);
    } else {
      this.#answer(method, result);
    }
  }

  #answer(method: ServedMethod<P>, response: unknown): void {
    try {
      const bytes = this.#ended ? undefined : serialize(method.desc.output, response);
      if (bytes !== undefined) this.#host.checkLength(bytes);
      this.#done(bytes);
    } catch (error) {
      this.#failed(error);
    }
  }

  #done(last?: Uint8Array): void {
    this.#running = false;
    if (this.#ended) {
      this.#leave();
    } else {
      this.#end(undefined);
      this.stream.end(okTrailers, last);
    }
  }

  #failed(thrown: unknown): void {
    this.#running = false;
    if (this.#ended) this.#leave();
    else this.fail(thrown);
  }

  #end(error: StoaError | undefined): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#span?.end(error);
    this.#host.ended(this, error);
    // A slot stays taken while a handler still works, whatever has become of its caller.
    if (!this.#running) this.#leave();
  }

  #leave(): void {
    this.#hostSlots?.release();
    this.#serviceSlots?.release();
    this.#host.left(this);
  }
}

function nothing(): void {}
