import type { DescMethod } from "@bufbuild/protobuf";
import { type ChannelInterface, type Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { StoaError } from "#platform/errors";
import { parse, pathOf, serialize } from "./method.ts";
import { fromStatus } from "./status.ts";

type Wire = ReturnType<ChannelInterface["createCall"]>;
type Reader = { resolve: (message: unknown) => void; reject: (reason: unknown) => void };

export interface OutgoingOptions {
  readonly metadata: Metadata;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** One call to a server. A message is taken off the wire when it is asked for, and not before. */
export class OutgoingCall {
  readonly #method: DescMethod;
  readonly #wire: Wire;
  readonly #signal: AbortSignal | undefined;
  #reader: Reader | undefined;
  #writer: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  #error: unknown;
  #state: "open" | "done" | "failed" = "open";

  constructor(channel: ChannelInterface, method: DescMethod, options: OutgoingOptions) {
    const { metadata, deadline, signal } = options;
    this.#method = method;
    this.#signal = signal;
    this.#wire = channel.createCall(pathOf(method), deadline, null, null, null);
    if (signal?.aborted === true) {
      this.#end("failed", cancelled(signal));
      return;
    }
    signal?.addEventListener("abort", this.#abort);
    this.#wire.start(metadata, this);
  }

  get ended(): boolean {
    return this.#state !== "open";
  }

  /** The next message; undefined once the server has ended the call well. */
  read(): Promise<unknown> {
    if (this.#state === "failed") return Promise.reject(this.#error);
    if (this.#state === "done") return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#wire.startRead();
    });
  }

  /** Resolves when the message has left, which it does no sooner than the server takes it; grpc-js holds only one. */
  write(message: unknown): Promise<void> {
    if (this.ended) return Promise.resolve();
    const bytes = serialize(this.#method.input, message);
    return new Promise((resolve) => {
      this.#writer = resolve;
      this.#wire.sendMessageWithContext({ callback: () => resolve() }, bytes);
    });
  }

  /** No message will follow. */
  halfClose(): void {
    if (!this.ended) this.#wire.halfClose();
  }

  /** Sends what the iterable yields, no faster than the server takes it. What it throws ends the call. */
  async send(messages: AsyncIterable<unknown>): Promise<void> {
    try {
      const iterator = messages[Symbol.asyncIterator]();
      const close = () => iterator.return?.()?.catch(() => {});
      this.#onEnd = close;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done === true) break;
        await this.write(value);
        if (this.ended) {
          await close();
          return;
        }
      }
      this.#onEnd = undefined;
      this.halfClose();
    } catch (error) {
      this.cancel(error);
    }
  }

  /** Ends the call from this side; `reason` is what readers get. */
  cancel(reason: unknown): void {
    if (this.ended) return;
    this.#wire.cancelWithStatus(status.CANCELLED, "The caller cancelled the call.");
    this.#end("failed", reason);
  }

  // What grpc-js tells.

  onReceiveMetadata(_headers: Metadata): void {}

  onReceiveMessage(bytes: Buffer): void {
    const reader = this.#reader;
    this.#reader = undefined;
    try {
      reader?.resolve(parse(this.#method.output, bytes, this.#method));
    } catch (error) {
      this.cancel(error);
      reader?.reject(error);
    }
  }

  onReceiveStatus(received: StatusObject): void {
    if (received.code === status.OK) this.#end("done", undefined);
    else this.#end("failed", fromStatus(received, pathOf(this.#method)));
  }

  readonly #abort = () => {
    if (this.#signal !== undefined) this.cancel(cancelled(this.#signal));
  };

  #end(state: "done" | "failed", error: unknown): void {
    if (this.ended) return;
    this.#state = state;
    this.#error = error;
    this.#signal?.removeEventListener("abort", this.#abort);
    const reader = this.#reader;
    this.#reader = undefined;
    if (state === "done") reader?.resolve(undefined);
    else reader?.reject(error);
    this.#writer?.();
    this.#onEnd?.();
  }
}

function cancelled({ reason }: AbortSignal): StoaError {
  if (reason instanceof StoaError) return reason;
  if (reason instanceof Error && reason.name === "TimeoutError") return StoaError.from(reason);
  return new StoaError("CANCELLED", "The call was cancelled.", { cause: reason });
}
