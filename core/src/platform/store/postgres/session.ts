import type pg from "pg";
import type { StoaError } from "#platform/errors";
import type { Connector } from "./connector.ts";
import { stateOf, toStoaError } from "./errors.ts";

/** A connection while somebody has it: its errors become ours, and a broken one does not go back to the pool. */
export class Session {
  readonly #connector: Connector;
  readonly #client: pg.PoolClient;
  #tail: Promise<unknown> = Promise.resolve();
  #broken: unknown;

  private constructor(connector: Connector, client: pg.PoolClient) {
    this.#connector = connector;
    this.#client = client;
    client.on("error", this.#onError);
  }

  static async open(connector: Connector, attempts: number): Promise<Session> {
    return new Session(connector, await connector.acquire(attempts));
  }

  /** One at a time: the protocol would take them together, and mix up what follows a failure. */
  query(sql: string, parameters: readonly unknown[] = []): Promise<pg.QueryResult> {
    const result = this.#tail.then(() => this.#query(sql, parameters));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  release(): void {
    // Errors may still follow, and one that nobody listens to would end the process.
    if (this.#broken === undefined) this.#client.off("error", this.#onError);
    this.#connector.release(this.#client, this.#broken !== undefined);
  }

  /** Whatever state it is in, nobody else should get it. */
  discard(error: unknown): void {
    this.#broken ??= error;
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#broken !== undefined) throw toStoaError(this.#broken, sql);
    try {
      return await this.#client.query(sql, parameters as unknown[]);
    } catch (thrown) {
      throw this.#explain(thrown, sql);
    }
  }

  #explain(thrown: unknown, sql: string): StoaError {
    if (stateOf(thrown) !== undefined) return toStoaError(thrown, sql);
    // The server's last words say more than that the line is dead.
    this.#broken ??= thrown;
    return toStoaError(this.#broken, sql);
  }

  /** Given back at once: a callback that never ends would never do it, and use up the connections one by one. */
  #onError = (error: unknown): void => {
    this.#broken ??= error;
    this.release();
  };
}
