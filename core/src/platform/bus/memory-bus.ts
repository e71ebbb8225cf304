import { StoaError } from "#platform/errors";
import type {
  Bus,
  BusMessage,
  Handler,
  Headers,
  PublishOptions,
  RequestOptions,
  SubscribeOptions,
  Subscription,
} from "./bus.ts";
import { drained } from "./drain.ts";
import { checkHeaders, checkSize, copyOf, sizeOf } from "./payload.ts";
import { noResponders, Requests, throwIfAborted } from "./requests.ts";
import { checkPattern, checkQueue, checkSubject, covers, hasWildcard } from "./subjects.ts";
import { Subscriber, type SubscriberContext } from "./subscriber.ts";

export interface MemoryBusOptions extends SubscriberContext {
  readonly maxPayload: number;
  readonly drainTimeoutMs: number;
}

/** The bus of a core that is alone: no server, the same rules. */
export class MemoryBus implements Bus {
  readonly name = "in process";
  readonly maxPayload: number;
  readonly #options: MemoryBusOptions;
  readonly #literal = new Map<string, Set<Subscriber>>();
  readonly #wildcard = new Set<Subscriber>();
  readonly #draining = new Set<Subscriber>();
  readonly #requests = new Requests();
  #turn = 0;
  #state: "open" | "closing" | "closed" = "open";
  #closed: Promise<void> | undefined;

  constructor(options: MemoryBusOptions) {
    this.#options = options;
    this.maxPayload = options.maxPayload;
  }

  async publish(subject: string, data: Uint8Array, options: PublishOptions = {}): Promise<void> {
    this.#send(this.#prepare(subject, data, options.headers), this.#route(subject), undefined);
  }

  async subscribe(subject: string, handler: Handler, options: SubscribeOptions = {}): Promise<Subscription> {
    checkPattern(subject);
    if (options.queue !== undefined) checkQueue(options.queue);
    throwIfAborted(options.signal);
    if (this.#state !== "open") throw shuttingDown();
    const subscriber = new Subscriber(subject, handler, options, this.#options);
    this.#add(subscriber);
    const unsubscribe = () => {
      this.#remove(subscriber);
      this.#draining.delete(subscriber);
      subscriber.end();
      options.signal?.removeEventListener("abort", unsubscribe);
    };
    options.signal?.addEventListener("abort", unsubscribe, { once: true });
    return {
      subject,
      unsubscribe,
      drain: async () => {
        this.#remove(subscriber);
        this.#draining.add(subscriber);
        await subscriber.idle();
        unsubscribe();
      },
    };
  }

  async request(subject: string, data: Uint8Array, options: RequestOptions): Promise<BusMessage> {
    const message = this.#prepare(subject, data, options.headers);
    return this.#requests.open(subject, options, (id) => {
      const receivers = this.#route(subject);
      if (receivers.length === 0) throw noResponders(subject);
      this.#send(message, receivers, async (answer, { headers } = {}) => {
        const reply = this.#prepare(subject, answer, headers);
        this.#options.metrics.published.inc();
        this.#requests.answer(id, reply);
      });
    });
  }

  async ping(): Promise<void> {
    if (this.#state !== "open") throw shuttingDown();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    const subscribers = [
      ...this.#draining,
      ...this.#wildcard,
      ...[...this.#literal.values()].flatMap((set) => [...set]),
    ];
    this.#literal.clear();
    this.#wildcard.clear();
    await drained(subscribers, this.#options.drainTimeoutMs, this.#options.log);
    this.#state = "closed";
    this.#requests.failAll(shuttingDown);
  }

  #prepare(subject: string, data: Uint8Array, headers: Readonly<Headers> | undefined): BusMessage {
    if (this.#state === "closed") throw shuttingDown();
    checkSubject(subject);
    const message = { subject, data: copyOf(data), headers: checkHeaders(headers) };
    checkSize(sizeOf(message.data, message.headers), this.maxPayload, subject);
    return message;
  }

  #send(message: BusMessage, receivers: readonly Subscriber[], reply: BusMessage["reply"]): void {
    this.#options.metrics.published.inc();
    for (const [index, receiver] of receivers.entries()) {
      const own =
        index === 0 ? message : { ...message, data: copyOf(message.data), headers: { ...message.headers } };
      receiver.deliver(reply === undefined ? own : { ...own, reply });
    }
  }

  /** Every plain subscription that covers the subject, and one member of each queue that does. */
  #route(subject: string): Subscriber[] {
    const receivers: Subscriber[] = [];
    const queues = new Map<string, Subscriber[]>();
    const consider = (subscriber: Subscriber) => {
      if (subscriber.queue === undefined) receivers.push(subscriber);
      else queues.set(subscriber.queue, [...(queues.get(subscriber.queue) ?? []), subscriber]);
    };
    for (const subscriber of this.#literal.get(subject) ?? []) consider(subscriber);
    for (const subscriber of this.#wildcard) if (covers(subscriber.subject, subject)) consider(subscriber);
    for (const members of queues.values()) {
      const chosen = members[this.#turn++ % members.length];
      if (chosen !== undefined) receivers.push(chosen);
    }
    return receivers;
  }

  #add(subscriber: Subscriber): void {
    if (hasWildcard(subscriber.subject)) {
      this.#wildcard.add(subscriber);
      return;
    }
    const known = this.#literal.get(subscriber.subject);
    if (known === undefined) this.#literal.set(subscriber.subject, new Set([subscriber]));
    else known.add(subscriber);
  }

  #remove(subscriber: Subscriber): void {
    this.#wildcard.delete(subscriber);
    const known = this.#literal.get(subscriber.subject);
    known?.delete(subscriber);
    if (known?.size === 0) this.#literal.delete(subscriber.subject);
  }
}

function shuttingDown(): StoaError {
  return new StoaError("SHUTTING_DOWN", "The bus is closed and takes no new work.");
}
