export interface MailboxOptions<T> {
  /** Must not throw: what goes wrong with an item is its own business. */
  readonly handle: (item: T) => Promise<void>;
  readonly concurrency: number;
  readonly maxItems: number;
  readonly maxBytes: number;
}

// After so many items in one turn of the event loop, sockets and timers get theirs.
const perTurn = 64;

/** What has arrived and waits to be handled: bounded, in order, a given number at once. */
export class Mailbox<T> {
  readonly #options: MailboxOptions<T>;
  #items: Array<{ item: T; bytes: number }> = [];
  #next = 0;
  #bytes = 0;
  #running = 0;
  #budget = 0;
  #scheduled = false;
  #waiting: Array<() => void> = [];

  constructor(options: MailboxOptions<T>) {
    this.#options = options;
  }

  get pending(): number {
    return this.#items.length - this.#next;
  }

  get running(): number {
    return this.#running;
  }

  /** False where there is no room. The item is never handled inside this call. */
  offer(item: T, bytes: number): boolean {
    const full = this.pending >= this.#options.maxItems;
    // One item always fits an empty mailbox: a bound on bytes is about piling up.
    if (full || (this.pending > 0 && this.#bytes + bytes > this.#options.maxBytes)) return false;
    this.#items.push({ item, bytes });
    this.#bytes += bytes;
    this.#schedule();
    return true;
  }

  discard(): void {
    this.#items = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#settle();
  }

  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void> {
    if (this.pending === 0 && this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.pending === 0 || this.#running >= this.#options.concurrency) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#budget = perTurn;
      this.#run();
    });
  }

  #run(): void {
    while (this.#budget > 0 && this.#running < this.#options.concurrency && this.pending > 0) {
      this.#budget--;
      this.#start(this.#take());
    }
    this.#schedule();
    this.#settle();
  }

  #start(item: T): void {
    this.#running++;
    void this.#options.handle(item).finally(() => {
      this.#running--;
      this.#run();
    });
  }

  #take(): T {
    const entry = this.#items[this.#next] as { item: T; bytes: number };
    this.#next++;
    this.#bytes -= entry.bytes;
    // Shifting each time would move the whole array; the handled front goes when it is half of it.
    if (this.#next === this.#items.length || (this.#next > 64 && this.#next * 2 >= this.#items.length)) {
      this.#items.splice(0, this.#next);
      this.#next = 0;
    }
    return entry.item;
  }

  #settle(): void {
    if (this.#waiting.length === 0 || this.pending > 0 || this.#running > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
