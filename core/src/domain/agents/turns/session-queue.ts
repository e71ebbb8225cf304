/** Lets one holder at a time into each session; the others wait in the order they came. */
export class SessionQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves with the release once it is this caller's turn; an abort while waiting gives the place up. */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    const tail = before.then(() => mine);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    try {
      await abortable(before, signal);
      return release;
    } catch (thrown) {
      release();
      throw thrown;
    }
  }
}

function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", onAbort));
}
