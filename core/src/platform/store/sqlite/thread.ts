import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf, StoaError } from "#platform/errors";
import { toStoaError } from "./errors.ts";
import type { Greeting, Reply, Request, Result } from "./protocol.ts";

interface Waiting {
  resolve(result: Result): void;
  reject(error: StoaError): void;
}

/** Requests as callers write them: the thread numbers them. */
export type Unnumbered<R> = R extends Request ? Omit<R, "id"> : never;

/**
 * A database thread as the event loop sees it: requests go out together once per turn of the loop, answers come
 * back in any order, and when the thread dies everybody who waits learns why.
 */
export class Thread<R extends Request> {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #outbox: unknown[] = [];
  #lastId = 0;
  #closing = false;
  #dead: StoaError | undefined;

  private constructor(worker: Worker, name: string, onDeath: (error: StoaError) => void) {
    this.#worker = worker;
    this.#name = name;
    worker.on("message", (replies: Reply[]) => this.#receive(replies));
    worker.on("messageerror", (error) => this.#die(error));
    worker.on("error", (error) => this.#die(error));
    this.#exited = new Promise((resolve) => {
      worker.once("exit", (code) => {
        this.#die(new Error(`it ended with code ${code}`));
        if (!this.#closing && this.#dead !== undefined) onDeath(this.#dead);
        resolve();
      });
    });
  }

  /** Starts the thread and resolves once its database is open. */
  static async start<R extends Request>(
    file: URL,
    name: string,
    settings: unknown,
    onDeath: (error: StoaError) => void,
  ): Promise<Thread<R>> {
    // None of the flags that this process was started with: they are for its own entry file.
    const worker = new Worker(file, { name, workerData: settings, execArgv: [], env: environment() });
    const greeting = await greet(worker).catch((thrown: unknown) => {
      throw new StoaError(
        "UNAVAILABLE",
        `The database thread "${name}" did not start: ${messageOf(thrown)}.`,
        {
          cause: thrown,
        },
      );
    });
    if (!greeting.open) throw toStoaError(greeting.failure);
    return new Thread<R>(worker, name, onDeath);
  }

  /** Why the thread is of no use any more, if so. */
  get dead(): StoaError | undefined {
    return this.#dead;
  }

  call(request: Unnumbered<R>): Promise<Result> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#outbox.length === 0) queueMicrotask(() => process.nextTick(() => this.#post()));
      this.#outbox.push({ ...request, id });
    });
  }

  /** Call it when nothing is pending. */
  async close(): Promise<void> {
    if (this.#dead === undefined) {
      this.#closing = true;
      const closed = this.call({ kind: "close" } as Unnumbered<R>);
      this.#dead = new StoaError("SHUTTING_DOWN", "The store is closed.");
      await closed;
    }
    await this.#exited;
  }

  /** Ends the thread at once, as a fault in it would. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    this.#worker.postMessage(requests);
  }

  #receive(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.get(reply.id);
      if (waiting === undefined) continue;
      this.#waiting.delete(reply.id);
      if ("result" in reply) waiting.resolve(reply.result);
      else waiting.reject(toStoaError(reply.failure));
    }
  }

  #die(cause: unknown): void {
    this.#dead ??= new StoaError(
      "UNAVAILABLE",
      `The database thread "${this.#name}" is gone: ${messageOf(cause)}. What it acknowledged is safe; whether ` +
        "work in progress was carried out is not known. If it does not come back, restart the core.",
      { cause },
    );
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }
}

/** A thread uses the cache of compiled code that this process uses only if it is told to: it starts sooner then. */
function environment(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // What is asked for is the folder above: each version of Node has one of its own in it.
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

async function greet(worker: Worker): Promise<Greeting> {
  const { promise, resolve, reject } = Promise.withResolvers<Greeting>();
  const onExit = (code: number) => reject(new Error(`it ended with code ${code}`));
  worker.once("message", resolve).once("error", reject).once("exit", onExit);
  try {
    return await promise;
  } finally {
    worker.off("message", resolve).off("error", reject).off("exit", onExit);
  }
}
