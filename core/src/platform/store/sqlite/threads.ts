import type { Logger } from "#platform/log";
import type {
  ReaderRequest,
  ReaderSettings,
  Result,
  Statement,
  WriterRequest,
  WriterSettings,
} from "./protocol.ts";
import { Thread } from "./thread.ts";

export interface ThreadsOptions extends ReaderSettings, WriterSettings {
  readonly log: Logger;
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
  #lastId = 0;

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
    return this.#writer.call({ kind: "run", statements });
  }

  nextTransaction(): number {
    return ++this.#lastId;
  }

  step(step: Step): Promise<Result> {
    return this.#writer.call({ kind: "step", ...step });
  }

  end(transaction: number, commit: boolean): Promise<Result> {
    return this.#writer.call({ kind: "end", transaction, commit });
  }

  async read(statement: Statement): Promise<Result> {
    const reader = await this.#reader();
    return reader.call({ kind: "read", statement });
  }

  async *stream(statement: Statement, count: number): AsyncGenerator<readonly unknown[]> {
    const cursor = ++this.#lastId;
    const reader = await this.#reader();
    await reader.call({ kind: "open", cursor, statement });
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

  async ping(): Promise<void> {
    await this.#writer.call({ kind: "ping" });
  }

  /** The writer goes last: it tidies the log. */
  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    await Promise.all(this.#readers.map((reader) => reader.close()));
    await this.#writer.close();
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
