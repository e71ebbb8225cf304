import type { Result, Statement, WriterRequest, WriterSettings } from "./protocol.ts";
import { Readers, type ReadersOptions } from "./readers.ts";
import { Thread } from "./thread.ts";

export interface ThreadsOptions extends ReadersOptions, WriterSettings {}

type Step = Omit<Extract<WriterRequest, { kind: "step" }>, "id" | "kind">;

const file = new URL("./writer.worker.ts", import.meta.url);

/** The writer's thread and the readers'. */
export class SqliteThreads {
  readonly writer: Thread<WriterRequest>;
  readonly readers: Readers;
  #lastTransaction = 0;

  private constructor(writer: Thread<WriterRequest>, readers: Readers) {
    this.writer = writer;
    this.readers = readers;
  }

  static async start(options: ThreadsOptions): Promise<SqliteThreads> {
    const settings: WriterSettings = { file: options.file, idleInTransactionMs: options.idleInTransactionMs };
    const writer = await Thread.start<WriterRequest>(file, "stoa-writer", settings, (err) =>
      options.log.fatal({ err }, "the database writer is gone"),
    );
    // Only now: a reader needs the files that the writer makes.
    const readers = new Readers(options);
    readers.grow();
    return new SqliteThreads(writer, readers);
  }

  run(statements: readonly Statement[]): Promise<Result> {
    return this.writer.call({ kind: "run", statements });
  }

  nextTransaction(): number {
    return ++this.#lastTransaction;
  }

  step(step: Step): Promise<Result> {
    return this.writer.call({ kind: "step", ...step });
  }

  end(transaction: number, commit: boolean): Promise<Result> {
    return this.writer.call({ kind: "end", transaction, commit });
  }

  async ping(): Promise<void> {
    await this.writer.call({ kind: "ping" });
  }

  /** The writer goes last: it tidies the log. */
  async close(): Promise<void> {
    await this.readers.close();
    await this.writer.close();
  }
}
