import type {
  DescMessage,
  DescMethod,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "#platform/log";

/** What a handler is told about the call it answers. */
export interface CallContext<P> {
  /** Aborted when the caller cancels or goes away, the deadline passes, or the drain's time is up. */
  readonly signal: AbortSignal;
  /** Aborted when the host begins to stop: a stream without an end of its own should come to one. */
  readonly draining: AbortSignal;
  readonly deadline: Date | undefined;
  readonly metadata: Metadata;
  /** The caller's address. */
  readonly peer: string;
  /** The caller's `x-request-id`, or one made here. */
  readonly requestId: string;
  readonly log: Logger;
  readonly method: DescMethod;
  readonly principal: P | undefined;
  /** Checks the call's credentials again, for streams that outlive a token. Throws where they no longer hold. */
  reauthenticate(): Promise<P | undefined>;
}

type Kind<K extends DescMethod["methodKind"], I, O> = { methodKind: K; input: I; output: O };

/** The handler of one method; a response may be a message or what one is made of. */
export type Handler<M, P> =
  M extends Kind<"unary", infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageShape<I>, ctx: CallContext<P>) => Promise<MessageInitShape<O>> | MessageInitShape<O>
    : M extends Kind<"server_streaming", infer I extends DescMessage, infer O extends DescMessage>
      ? (request: MessageShape<I>, ctx: CallContext<P>) => AsyncIterable<MessageInitShape<O>>
      : M extends Kind<"client_streaming", infer I extends DescMessage, infer O extends DescMessage>
        ? (requests: AsyncIterable<MessageShape<I>>, ctx: CallContext<P>) => Promise<MessageInitShape<O>>
        : M extends Kind<"bidi_streaming", infer I extends DescMessage, infer O extends DescMessage>
          ? (
              requests: AsyncIterable<MessageShape<I>>,
              ctx: CallContext<P>,
            ) => AsyncIterable<MessageInitShape<O>>
          : never;

// A generated service narrows the type of `method`, so that it is no DescService itself.
export type Service = Omit<DescService, "method"> & { readonly method: object };

export type ServiceImpl<S extends Service, P = unknown> = {
  readonly [K in keyof S["method"]]: Handler<S["method"][K], P>;
};

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly metadata?: Metadata | Readonly<Record<string, string>> | undefined;
  /** Wait for a server that is not there yet, until the deadline, instead of failing at once. */
  readonly waitForReady?: boolean | undefined;
}

type ClientMethod<M> =
  M extends Kind<"unary", infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : M extends Kind<"server_streaming", infer I extends DescMessage, infer O extends DescMessage>
      ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncIterable<MessageShape<O>>
      : M extends Kind<"client_streaming", infer I extends DescMessage, infer O extends DescMessage>
        ? (requests: AsyncIterable<MessageInitShape<I>>, options?: CallOptions) => Promise<MessageShape<O>>
        : M extends Kind<"bidi_streaming", infer I extends DescMessage, infer O extends DescMessage>
          ? (
              requests: AsyncIterable<MessageInitShape<I>>,
              options?: CallOptions,
            ) => AsyncIterable<MessageShape<O>>
          : never;

export type Client<S extends Service> = {
  readonly [K in keyof S["method"]]: ClientMethod<S["method"][K]>;
} & { close(): void };
