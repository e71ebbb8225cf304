/**
 * Messages between parts of a core, and between cores. At most once: what must not be lost is in the store
 * before it is announced here. The same rules hold in process and on NATS:
 *
 * - Subjects are dot-separated tokens of printable ASCII; a subscription may use `*` (one token) and `>`
 *   (the rest).
 * - `publish` copies: the sender may reuse its bytes at once, and each receiver gets bytes of its own.
 * - A handler never runs inside the `publish` that caused it.
 * - Messages of one publisher on one subject arrive in order; a subscription handles one at a time unless
 *   it asks for more.
 * - What a subscription has not handled yet is bounded (`maxPending`, `maxPendingBytes`). Beyond it the
 *   newest message is dropped and counted (`stoa_bus_dropped_total`); if it was a request, the requester is
 *   told RATE_LIMITED at once.
 * - A handler that throws is logged, and the subscription goes on; if the message was a request, the
 *   requester gets the error.
 */
export interface Bus {
  /** Where this bus lives, for logs and status pages: never with credentials. */
  readonly name: string;
  /** Largest data plus headers of one message, in bytes. */
  readonly maxPayload: number;
  /** Resolves when the message is on its way; that says nothing about whether anybody listens. */
  publish(subject: string, data: Uint8Array, options?: PublishOptions): Promise<void>;
  /** Resolves when messages published from now on will arrive. */
  subscribe(subject: string, handler: Handler, options?: SubscribeOptions): Promise<Subscription>;
  /** The first answer. UNAVAILABLE at once where nobody listens, DEADLINE_EXCEEDED after `timeoutMs`. */
  request(subject: string, data: Uint8Array, options: RequestOptions): Promise<BusMessage>;
  /** Throws where the bus cannot carry messages now. */
  ping(): Promise<void>;
  /** Takes no new messages, lets handlers finish what has arrived, and lets go of the connection. */
  close(): Promise<void>;
}

export type Headers = Record<string, string>;

export interface BusMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Names in lower case. */
  readonly headers: Readonly<Headers>;
  /** There for a request: answers it. */
  readonly reply?: (data: Uint8Array, options?: PublishOptions) => Promise<void>;
}

export type Handler = (message: BusMessage) => Promise<void> | void;

export interface PublishOptions {
  readonly headers?: Readonly<Headers>;
}

export interface SubscribeOptions {
  /** Of all subscriptions that share a queue's name, one gets the message. */
  readonly queue?: string;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /** How many messages may be handled at once; more than one gives up their order. */
  readonly concurrency?: number;
  readonly maxPending?: number;
  readonly maxPendingBytes?: number;
}

export interface RequestOptions extends PublishOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Subscription {
  readonly subject: string;
  /** No handler starts after this; what waited is discarded. */
  unsubscribe(): void;
  /** Takes nothing new and resolves when what has arrived is handled. Not to be awaited in its own handler. */
  drain(): Promise<void>;
}
