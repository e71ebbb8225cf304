import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { StoaError } from "#platform/errors";
import { reasonOf, stateOf } from "./errors.ts";
import type { Target } from "./pool.ts";

/** What a server says that will not change by asking again: wrong password, no such database or role. */
const final = new Set(["28P01", "28000", "3D000", "42501"]);

/**
 * Hands out connections, one to each caller at a time and the rest in a queue. While the server does not answer
 * one attempt at a time is made on behalf of all, with growing pauses: thousands that wait are not thousands who
 * knock. When it is given up, all who wait are told.
 */
export class Connector {
  readonly #pool: pg.Pool;
  readonly #target: Target;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  readonly #out = new Set<pg.PoolClient>();
  readonly #stop = new AbortController();
  #free: number;
  #recovery: Promise<void> | undefined;

  constructor(pool: pg.Pool, target: Target) {
    this.#pool = pool;
    this.#target = target;
    this.#free = pool.options.max;
  }

  async acquire(attempts: number): Promise<pg.PoolClient> {
    if (this.#free > 0) {
      this.#free--;
    } else {
      const turn = Promise.withResolvers<void>();
      this.#waiting.push(turn);
      await turn.promise;
    }
    try {
      const client = await this.#connect(attempts);
      this.#out.add(client);
      return client;
    } catch (thrown) {
      this.#next();
      throw thrown;
    }
  }

  release(client: pg.PoolClient, destroy: boolean): void {
    if (!this.#out.delete(client)) return;
    client.release(destroy);
    this.#next();
  }

  /** Connections that somebody still has are taken away. */
  async close(): Promise<void> {
    this.#stop.abort();
    const ended = this.#pool.end();
    for (const client of [...this.#out]) this.release(client, true);
    await ended;
  }

  #next(): void {
    const turn = this.#waiting.shift();
    if (turn === undefined) this.#free++;
    else turn.resolve();
  }

  async #connect(attempts: number): Promise<pg.PoolClient> {
    const started = Date.now();
    try {
      return await this.#pool.connect();
    } catch (thrown) {
      if (attempts === 1 || this.#isFinal(thrown)) throw this.#unreachable(1, started, thrown);
      this.#recovery ??= this.#recover(attempts, started, thrown).finally(() => {
        this.#recovery = undefined;
      });
    }
    await this.#recovery;
    try {
      return await this.#pool.connect();
    } catch (thrown) {
      throw this.#unreachable(1, Date.now(), thrown);
    }
  }

  async #recover(attempts: number, started: number, first: unknown): Promise<void> {
    let last = first;
    let attempt = 1;
    while (attempt < attempts && !this.#isFinal(last)) {
      await sleep(pause(attempt), undefined, { signal: this.#stop.signal }).catch(() => undefined);
      attempt++;
      try {
        (await this.#pool.connect()).release();
        return;
      } catch (thrown) {
        last = thrown;
      }
    }
    const error = this.#unreachable(attempt, started, last);
    for (const turn of this.#waiting.splice(0)) turn.reject(error);
    throw error;
  }

  #isFinal(thrown: unknown): boolean {
    return this.#stop.signal.aborted || final.has(stateOf(thrown) ?? "");
  }

  #unreachable(attempts: number, started: number, cause: unknown): StoaError {
    const { host, port, database, user } = this.#target;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts in ${seconds} s`;
    const verb = final.has(stateOf(cause) ?? "") ? "refused the connection" : "did not answer";
    return new StoaError(
      "STORE_UNREACHABLE",
      `PostgreSQL at ${host}:${port} (database "${database}", user "${user}") ${verb}: ${tries}, the last error ` +
        `was: ${reasonOf(cause)}. Check DATABASE_URL and that the server runs.`,
      { details: { host, port, database, user, attempts }, cause },
    );
  }
}

/** 100 ms, 200 ms, … up to 5 s, each shortened by chance so that many cores do not come back all at once. */
function pause(attempt: number): number {
  return Math.min(5_000, 100 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}
