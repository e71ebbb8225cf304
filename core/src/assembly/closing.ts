import type { Logger } from "#platform/log";

/** What has been opened, so that it is closed in the opposite order: at the end, or when the start fails half-way. */
export class Closing {
  readonly #closers: { name: string; close: () => Promise<void> | void }[] = [];

  add(name: string, close: () => Promise<void> | void): void {
    this.#closers.push({ name, close });
  }

  /** Every closer runs, whatever becomes of the others. */
  async run(log: Logger): Promise<void> {
    for (;;) {
      const next = this.#closers.pop();
      if (next === undefined) return;
      try {
        await next.close();
      } catch (error) {
        log.error({ err: error, part: next.name }, "a part could not be closed cleanly");
      }
    }
  }
}
