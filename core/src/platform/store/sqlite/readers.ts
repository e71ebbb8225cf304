import type { Logger } from "#platform/log";
import type { ReaderRequest, ReaderSettings, Result, Statement } from "./protocol.ts";
import { Thread } from "./thread.ts";

export interface ReadersOptions extends ReaderSettings {
  readonly log: Logger;
  readonly maxReaders: number;
}

type Reader = Thread<ReaderRequest>;

const file = new URL("./reader.worker.ts", import.meta.url);

/**
 * Threads that read, as many as there is work for. A read waits for whichever is free first and goes to one that
 * has nothing else to do: a short one is never stuck behind a long one while another thread could take it.
 */
export class Readers {
  readonly #options: ReadersOptions;
  readonly #all = new Set<Reader>();
  readonly #free: Reader[] = [];
  readonly #queue: PromiseWithResolvers<Reader>[] = [];
  #starting: Promise<void> | undefined;
  #lastCursor = 0;

  constructor(options: ReadersOptions) {
    this.#options = options;
  }

  get all(): ReadonlySet<Reader> {
    return this.#all;
  }

  async read(statement: Statement): Promise<Result> {
    return this.#with((reader) => reader.call({ kind: "read", statement }));
  }

  async *stream(statement: Statement, count: number): AsyncGenerator<readonly unknown[]> {
    const cursor = ++this.#lastCursor;
    const reader = await this.#with(async (free) => {
      await free.call({ kind: "open", cursor, statement });
      return free;
    });
    try {
      for (;;) {
        const { rows } = await reader.call({ kind: "fetch", cursor, count });
        if (rows.length > 0) yield rows;
        if (rows.length < count) return;
      }
    } finally {
      if (reader.dead === undefined) await reader.call({ kind: "drop", cursor });
    }
  }

  /** Starts a further thread, unless one is starting or there are enough. */
  grow(): void {
    if (this.#starting !== undefined || this.#all.size >= this.#options.maxReaders) return;
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined;
      if (this.#queue.length > 0) this.grow();
    });
  }

  async close(): Promise<void> {
    await this.#starting;
    await Promise.all([...this.#all].map((reader) => reader.close()));
  }

  async #with<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const reader = this.#free.pop() ?? (await this.#wait());
    try {
      return await work(reader);
    } finally {
      if (reader.dead === undefined) this.#release(reader);
    }
  }

  #wait(): Promise<Reader> {
    const turn = Promise.withResolvers<Reader>();
    this.#queue.push(turn);
    this.grow();
    return turn.promise;
  }

  #release(reader: Reader): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free.push(reader);
    else next.resolve(reader);
  }

  async #start(): Promise<void> {
    const { file: database, streamIdleMs, log } = this.#options;
    const settings: ReaderSettings = { file: database, streamIdleMs };
    try {
      const reader = await Thread.start<ReaderRequest>(file, "stoa-reader", settings, (err) => {
        log.error({ err }, "a database reader is gone");
        this.#forget(reader);
      });
      this.#all.add(reader);
      this.#release(reader);
    } catch (thrown) {
      log.error({ err: thrown }, "a database reader could not be started");
      // With other readers at work those who wait still get their turn; without, nobody would ever come.
      if (this.#all.size === 0) for (const turn of this.#queue.splice(0)) turn.reject(thrown);
    }
  }

  /** Another one takes its place when there is something to read. */
  #forget(reader: Reader): void {
    this.#all.delete(reader);
    const index = this.#free.indexOf(reader);
    if (index >= 0) this.#free.splice(index, 1);
    if (this.#queue.length > 0) this.grow();
  }
}
