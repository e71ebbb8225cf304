import { StoaError } from "#platform/errors";

/** How many calls run at once, and what becomes of the others. */
export interface Limit {
  readonly maxConcurrent: number;
  /** More wait their turn, instead of being answered RESOURCE_EXHAUSTED. */
  readonly queue?: boolean | undefined;
  /** How many may wait. */
  readonly maxQueued?: number | undefined;
  /** The setting that changes the limit, for the message. */
  readonly setting?: string | undefined;
}

/** Counts what runs at once, and lets the rest wait in order or go away. */
export class Slots {
  readonly #limit: Limit;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs `granted` now or when a slot is free; the function returned gives up waiting. Each granted slot is released once. */
  take(granted: () => void): () => void {
    const { maxConcurrent, queue = false, maxQueued = 1000, setting = "the limit" } = this.#limit;
    if (this.#taken < maxConcurrent) {
      this.#taken += 1;
      granted();
      return nothing;
    }
    if (!queue || this.#waiting.size >= maxQueued) {
      const queued = queue ? ` and ${maxQueued} are waiting` : "";
      throw new StoaError(
        "RATE_LIMITED",
        `${maxConcurrent} calls are under way${queued}, which is the limit; retry later, or raise ${setting}.`,
      );
    }
    this.#waiting.add(granted);
    return () => this.#waiting.delete(granted);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function nothing(): void {}
