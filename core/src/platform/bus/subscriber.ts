import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { BusMessage, Handler, SubscribeOptions } from "./bus.ts";
import { encodeError } from "./error-reply.ts";
import { Mailbox } from "./mailbox.ts";
import type { BusMetrics } from "./metrics.ts";
import { sizeOf } from "./payload.ts";

const defaults = { concurrency: 1, maxPending: 8_192, maxPendingBytes: 64 * 1024 * 1024 };

export interface SubscriberContext {
  readonly log: Logger;
  readonly metrics: BusMetrics;
}

/** The receiving half of a subscription, the same whatever brings the messages. */
export class Subscriber {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly #handler: Handler;
  readonly #context: SubscriberContext;
  readonly #mailbox: Mailbox<BusMessage>;
  readonly #maxPending: number;
  #dropping = false;
  #ended = false;

  constructor(subject: string, handler: Handler, options: SubscribeOptions, context: SubscriberContext) {
    this.subject = subject;
    this.queue = options.queue;
    this.#handler = handler;
    this.#context = context;
    this.#maxPending = bound("maxPending", options.maxPending ?? defaults.maxPending);
    this.#mailbox = new Mailbox({
      handle: (message) => this.#handle(message),
      concurrency: bound("concurrency", options.concurrency ?? defaults.concurrency),
      maxItems: this.#maxPending,
      maxBytes: bound("maxPendingBytes", options.maxPendingBytes ?? defaults.maxPendingBytes),
    });
  }

  get unfinished(): number {
    return this.#mailbox.pending + this.#mailbox.running;
  }

  deliver(message: BusMessage): void {
    if (this.#ended) return;
    const { metrics, log } = this.#context;
    if (this.#mailbox.offer(message, sizeOf(message.data, message.headers))) {
      metrics.delivered.inc();
      this.#dropping = false;
      return;
    }
    metrics.dropped.inc();
    // Once per jam: a line for every message would make the jam worse.
    if (!this.#dropping) log.warn({ subject: this.subject }, "bus subscription is full, dropping messages");
    this.#dropping = true;
    const full = `The subscription ${this.subject} has ${this.#maxPending} messages waiting; this one was dropped. Retry later.`;
    void this.#answer(message, new StoaError("RATE_LIMITED", full));
  }

  /** Nothing starts after this. */
  end(): void {
    this.#ended = true;
    this.#mailbox.discard();
  }

  idle(): Promise<void> {
    return this.#mailbox.idle();
  }

  async #handle(message: BusMessage): Promise<void> {
    try {
      await this.#handler(message);
    } catch (thrown) {
      this.#context.metrics.failed.inc();
      this.#context.log.error({ err: thrown, subject: message.subject }, "bus handler failed");
      await this.#answer(message, thrown);
    }
  }

  async #answer(message: BusMessage, thrown: unknown): Promise<void> {
    if (message.reply === undefined) return;
    const { data, headers } = encodeError(thrown);
    await message.reply(data, { headers }).catch((error) => {
      this.#context.log.warn({ err: error, subject: message.subject }, "bus error answer was not sent");
    });
  }
}

function bound(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new StoaError(
    "INVALID_ARGUMENT",
    `${name} of a bus subscription is ${value}; it must be a whole number of at least 1.`,
  );
}
