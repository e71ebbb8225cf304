import { StoaError } from "#platform/errors";

/** Everybody who uses the database passes here: so there is a bound on how many, and closing can wait for them. */
export class Gate {
  readonly #limit: number;
  #inside = 0;
  #closed = false;
  #whenEmpty: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the way out, to be taken once; taking it again does nothing. */
  enter(): () => void {
    if (this.#closed) throw new StoaError("SHUTTING_DOWN", "The store is closed.");
    if (this.#inside >= this.#limit) {
      throw new StoaError(
        "RATE_LIMITED",
        `${this.#inside} requests are waiting for the database, which is the limit: retry later.`,
        { details: { limit: this.#limit } },
      );
    }
    this.#inside++;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#inside--;
      if (this.#inside === 0) this.#whenEmpty?.();
    };
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    const leave = this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Lets nobody in any more, and resolves when all have left, or after `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#inside === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    this.#whenEmpty = resolve;
    await promise;
    clearTimeout(timer);
  }
}
