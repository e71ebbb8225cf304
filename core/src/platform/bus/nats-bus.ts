import {
  createInbox,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription as NatsSubscription,
  headers as natsHeaders,
} from "@nats-io/transport-node";
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
import { drained, within } from "./drain.ts";
import { Link } from "./nats-link.ts";
import { checkHeaders, checkSize, copyOf, sizeOf } from "./payload.ts";
import { Requests, throwIfAborted } from "./requests.ts";
import { checkPattern, checkQueue, checkSubject } from "./subjects.ts";
import { Subscriber, type SubscriberContext } from "./subscriber.ts";

export interface NatsBusOptions extends SubscriberContext {
  readonly servers: readonly string[];
  readonly drainTimeoutMs: number;
}

// What may wait in the socket's buffer before a publisher has to wait for the server.
const unflushedLimit = 4 * 1024 * 1024;
const pingTimeoutMs = 5_000;

/** The bus of cores that work together. */
export class NatsBus implements Bus {
  readonly name: string;
  readonly #connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #link: Link;
  readonly #inbox = createInbox();
  readonly #requests = new Requests();
  readonly #subscriptions = new Map<Subscriber, NatsSubscription>();
  #unflushed = 0;
  #state: "open" | "closing" | "closed" = "open";
  #closed: Promise<void> | undefined;

  constructor(connection: NatsConnection, options: NatsBusOptions) {
    this.name = `NATS at ${options.servers.join(", ")}`;
    this.#connection = connection;
    this.#options = options;
    this.#link = new Link(connection, options.log, () => {
      this.#requests.failAll(
        () => new StoaError("BUS_UNREACHABLE", "The connection to the bus was lost before the answer came."),
      );
    });
    connection.subscribe(`${this.#inbox}.*`, { callback: (_, message) => this.#answered(message) });
  }

  get maxPayload(): number {
    return this.#connection.info?.max_payload ?? 1024 * 1024;
  }

  async publish(subject: string, data: Uint8Array, options: PublishOptions = {}): Promise<void> {
    checkSubject(subject);
    await this.#send(subject, data, options.headers);
  }

  async subscribe(subject: string, handler: Handler, options: SubscribeOptions = {}): Promise<Subscription> {
    checkPattern(subject);
    if (options.queue !== undefined) checkQueue(options.queue);
    throwIfAborted(options.signal);
    if (this.#state !== "open") throw shuttingDown();
    if (!this.#link.connected) await this.#link.wait();
    const subscriber = new Subscriber(subject, handler, options, this.#options);
    const subscription = this.#connection.subscribe(subject, {
      ...(options.queue === undefined ? {} : { queue: options.queue }),
      callback: (_, message) => this.#received(subscriber, message),
    });
    this.#subscriptions.set(subscriber, subscription);
    const unsubscribe = () => {
      this.#subscriptions.delete(subscriber);
      subscriber.end();
      subscription.unsubscribe();
      options.signal?.removeEventListener("abort", unsubscribe);
    };
    options.signal?.addEventListener("abort", unsubscribe, { once: true });
    try {
      // The server works in order: once it answers this, it knows the subscription.
      await this.#link.flush(pingTimeoutMs);
      throwIfAborted(options.signal);
    } catch (thrown) {
      unsubscribe();
      throw thrown;
    }
    const refused = subscription.isClosed() ? await subscription.closed : undefined;
    if (refused instanceof Error) {
      unsubscribe();
      throw new StoaError("PERMISSION_DENIED", `The bus does not let this core subscribe to ${subject}.`, {
        cause: refused,
      });
    }
    return {
      subject,
      unsubscribe,
      drain: async () => {
        if (!subscription.isClosed()) await subscription.drain();
        await subscriber.idle();
        unsubscribe();
      },
    };
  }

  async request(subject: string, data: Uint8Array, options: RequestOptions): Promise<BusMessage> {
    if (this.#state === "closed") throw shuttingDown();
    checkSubject(subject);
    const own = copyOf(data);
    return this.#requests.open(subject, options, async (id) => {
      if (!this.#link.connected) await this.#link.wait();
      // Its caller may have gone while it waited; work that nobody wants any more is not begun.
      if (!this.#requests.has(id)) return;
      await this.#send(subject, own, options.headers, `${this.#inbox}.${id}`);
    });
  }

  async ping(): Promise<void> {
    if (this.#state !== "open") throw shuttingDown();
    await this.#link.flush(pingTimeoutMs);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    const { drainTimeoutMs, log } = this.#options;
    const subscribers = [...this.#subscriptions.keys()];
    if (this.#link.connected) {
      const open = [...this.#subscriptions.values()].filter((subscription) => !subscription.isClosed());
      // The server confirms each, unless it hangs.
      await within(drainTimeoutMs, Promise.allSettled(open.map((subscription) => subscription.drain())));
    }
    await drained(subscribers, drainTimeoutMs, log);
    this.#state = "closed";
    this.#requests.failAll(shuttingDown);
    if (this.#link.connected) await within(drainTimeoutMs, this.#link.flush(pingTimeoutMs));
    await this.#connection.close();
  }

  async #send(
    subject: string,
    data: Uint8Array,
    headers: Readonly<Headers> | undefined,
    reply?: string,
  ): Promise<void> {
    if (this.#state === "closed") throw shuttingDown();
    const own = copyOf(data);
    const clean = checkHeaders(headers);
    const size = sizeOf(own, clean);
    checkSize(size, this.maxPayload, subject);
    if (!this.#link.connected) await this.#link.wait();
    this.#connection.publish(subject, own, {
      ...(reply === undefined ? {} : { reply }),
      ...(Object.keys(clean).length === 0 ? {} : { headers: toNats(clean) }),
    });
    this.#options.metrics.published.inc();
    this.#unflushed += size;
    if (this.#unflushed > unflushedLimit) {
      this.#unflushed = 0;
      await this.#link.flush();
    }
  }

  #received(subscriber: Subscriber, raw: Msg): void {
    const message = this.#read(raw);
    if (message === undefined) return;
    const inbox = raw.reply;
    if (!inbox) subscriber.deliver(message);
    else {
      const reply: BusMessage["reply"] = (data, { headers } = {}) => this.#send(inbox, data, headers);
      subscriber.deliver({ ...message, reply });
    }
  }

  #answered(raw: Msg): void {
    const id = raw.subject.slice(this.#inbox.length + 1);
    const message = this.#read(raw);
    if (message === undefined) return;
    if (raw.headers?.code === 503 && raw.data.length === 0) this.#requests.unheard(id);
    else this.#requests.answer(id, message);
  }

  /** Others publish on this server too: a message that cannot be read is theirs to mend. */
  #read(raw: Msg): BusMessage | undefined {
    try {
      return { subject: raw.subject, data: copyOf(raw.data), headers: fromNats(raw.headers) };
    } catch (thrown) {
      this.#options.metrics.dropped.inc();
      this.#options.log.warn({ err: thrown }, "bus message with unreadable headers dropped");
      return undefined;
    }
  }
}

function toNats(headers: Headers): MsgHdrs {
  const out = natsHeaders();
  for (const name in headers) out.set(name, headers[name] ?? "");
  return out;
}

function fromNats(headers: MsgHdrs | undefined): Headers {
  const out: Headers = Object.create(null);
  if (headers !== undefined) for (const [name, [value = ""]] of headers) out[name.toLowerCase()] = value;
  return out;
}

function shuttingDown(): StoaError {
  return new StoaError("SHUTTING_DOWN", "The bus is closed and takes no new work.");
}
