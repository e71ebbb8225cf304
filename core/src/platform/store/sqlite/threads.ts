import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type {
  ReaderRequest,
  ReaderSettings,
  Result,
  Statement,
  WriterRequest,
  WriterSettings,
} from "./protocol.ts";
import { Thread, type Unnumbered } from "./thread.ts";

export interface ThreadsOptions extends ReaderSettings, WriterSettings {
  readonly log: Logger;
  readonly maxPending: number;
  readonly maxReaders: number;
}

type Step = Omit<Extract<WriterRequest, { kind: "step" }>, "id" | "kind">;

const writerFile = new URL("./writer.worker.ts", import.meta.url);
const readerFile = new URL("./reader.worker.ts", import.meta.url);

/** The writer's thread, and as many readers' as there is work for. */
export class SqliteThreads {
  readonly #options: ThreadsOptions;
  readonly #writer: Thread<WriterRequest>;
  readonly #readers: Thread<ReaderRequest>[] = [];
  #starting: Promise<Thread<ReaderRequest>> | undefined;
  readonly #transactions = new Set<number>();
  #lastId = 0;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;
  #pending = 0;

  private constructor(options: ThreadsOptions, writer: Thread<WriterRequest>) {
    this.#options = options;
    this.#writer = writer;
  }

  static async start(options: ThreadsOptions): Promise<SqliteThreads> {
    const { file, idleInTransactionMs, log } = options;
    const settings: WriterSettings = { file, idleInTransactionMs };
    const writer = await Thread.start<WriterRequest>(writerFile, "stoa-writer", settings, (err) =>
      log.fatal({ err }, "the database writer is gone"),
    );
    return new SqliteThreads(options, writer);
  }

  get writer(): Thread<WriterRequest> {
    return this.#writer;
  }

  get readers(): readonly Thread<ReaderRequest>[] {
    return this.#readers;
  }

  run(statements: readonly Statement[]): Promise<Result> {
    return this.#track(() => this.#writer.call({ kind: "run", statements }));
  }

  openTransaction(): number {
    this.#refuseWhenClosing();
    const id = ++this.#lastId;
    this.#transactions.add(id);
    return id;
  }

  step(step: Step): Promise<Result> {
    // Those that have begun go on even when new work is refused, or nothing would ever get done.
    const call = () => this.#writer.call({ kind: "step", ...step });
    return step.first ? this.#track(call, true) : call();
  }

  end(transaction: number, commit: boolean): Promise<Result> {
    return this.#writer.call({ kind: "end", transaction, commit });
  }

  closeTransaction(id: number): void {
    this.#transactions.delete(id);
    this.#settled();
  }

  read(statement: Statement): Promise<Result> {
    return this.#track(async () => (await this.#reader()).call({ kind: "read", statement }));
  }

  async *stream(statement: Statement, count: number): AsyncGenerator<readonly unknown[]> {
    const cursor = ++this.#lastId;
    const reader = await this.#track(() => this.#reader());
    const call = (request: Unnumbered<ReaderRequest>) => this.#track(() => reader.call(request));
    await call({ kind: "open", cursor, statement });
    try {
      for (;;) {
        const { rows } = await call({ kind: "fetch", cursor, count });
        if (rows.length > 0) yield rows;
        if (rows.length < count) return;
      }
    } finally {
      if (reader.dead === undefined) await reader.call({ kind: "drop", cursor });
    }
  }

  async ping(): Promise<void> {
    await this.#track(() => this.#writer.call({ kind: "ping" }));
  }

  /** Takes no more work, lets what has begun finish, and ends the threads: the writer last, it tidies the log. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#idle();
    await this.#starting?.catch(() => undefined);
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.#writer.close();
  }

  /** A transaction whose callback never ends is not waited for: the writer has rolled it back by then. */
  async #idle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 2 * this.#options.idleInTransactionMs);
    this.#whenIdle = resolve;
    this.#settled();
    await promise;
    clearTimeout(timer);
  }

  #settled(): void {
    if (this.#pending === 0 && this.#transactions.size === 0) this.#whenIdle?.();
  }

  async #track<T>(work: () => Promise<T>, ofTransaction = false): Promise<T> {
    if (!ofTransaction) this.#refuseWhenClosing();
    if (this.#pending >= this.#options.maxPending) {
      throw new StoaError(
        "RATE_LIMITED",
        `${this.#pending} requests wait for the database already, which is the limit: retry later.`,
      );
    }
    this.#pending++;
    try {
      return await work();
    } finally {
      this.#pending--;
      this.#settled();
    }
  }

  #refuseWhenClosing(): void {
    if (this.#closing !== undefined) throw new StoaError("SHUTTING_DOWN", "The store is closed.");
  }

  /** The reader with the least to do; another one is started when all are busy and there may be more. */
  async #reader(): Promise<Thread<ReaderRequest>> {
    let best: Thread<ReaderRequest> | undefined;
    for (const reader of this.#readers) {
      if (reader.dead !== undefined) continue;
      if (best === undefined || reader.pending < best.pending) best = reader;
    }
    if (best === undefined) return this.#startReader();
    if (best.pending > 0 && this.#readers.length < this.#options.maxReaders) {
      this.#startReader().catch((err) =>
        this.#options.log.error({ err }, "no further reader could be started"),
      );
    }
    return best;
  }

  /** One at a time: whoever asks meanwhile gets the same one. */
  #startReader(): Promise<Thread<ReaderRequest>> {
    this.#starting ??= this.#newReader().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #newReader(): Promise<Thread<ReaderRequest>> {
    const { file, streamIdleMs, log } = this.#options;
    const settings: ReaderSettings = { file, streamIdleMs };
    const reader = await Thread.start<ReaderRequest>(readerFile, "stoa-reader", settings, (err) => {
      // Another one takes its place with the next read.
      log.error({ err }, "a database reader is gone");
      this.#readers.splice(this.#readers.indexOf(reader), 1);
    });
    this.#readers.push(reader);
    return reader;
  }
}
