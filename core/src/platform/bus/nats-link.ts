import type { NatsConnection } from "@nats-io/transport-node";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";

const waitMs = 5_000;
const maxWaiting = 10_000;

/**
 * Whether the connection is there. The client would take messages while it is not and lose them in
 * silence, so a publisher waits here: for the server to come back, or for an error.
 */
export class Link {
  readonly #connection: NatsConnection;
  readonly #log: Logger;
  #connected = true;
  #closed = false;
  #waiting = new Set<{ resume: () => void; fail: (error: StoaError) => void }>();

  constructor(connection: NatsConnection, log: Logger, lost: () => void) {
    this.#connection = connection;
    this.#log = log;
    void this.#watch(lost);
  }

  get connected(): boolean {
    return this.#connected;
  }

  async wait(): Promise<void> {
    if (this.#connected) return;
    if (this.#closed) throw closed();
    if (this.#waiting.size >= maxWaiting) throw away("and too many messages wait for it");
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => entry.fail(away(`for ${waitMs} ms`)), waitMs);
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(entry);
      };
      const entry = {
        resume: () => {
          leave();
          resolve();
        },
        fail: (error: StoaError) => {
          leave();
          reject(error);
        },
      };
      this.#waiting.add(entry);
    });
  }

  /** A round trip to the server: what was sent before has arrived there. */
  async flush(timeoutMs = 30_000): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(away(`and did not answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      await Promise.race([this.#connection.flush(), late]);
    } catch (thrown) {
      throw thrown instanceof StoaError ? thrown : away("", thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  async #watch(lost: () => void): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === "disconnect") {
        this.#connected = false;
        this.#log.warn("bus connection lost, reconnecting");
        lost();
      } else if (status.type === "reconnect") {
        this.#connected = true;
        this.#log.info("bus connection is back");
        for (const entry of [...this.#waiting]) entry.resume();
      } else if (status.type === "error") {
        this.#log.warn({ err: status.error }, "bus server reports an error");
      }
    }
    this.#connected = false;
    this.#closed = true;
    for (const entry of [...this.#waiting]) entry.fail(closed());
  }
}

function closed(): StoaError {
  return new StoaError("SHUTTING_DOWN", "The bus is closed and takes no new work.");
}

function away(how: string, cause?: unknown): StoaError {
  const message = `The bus server is away ${how}`.trim();
  return new StoaError(
    "BUS_UNREACHABLE",
    `${message}. The connection comes back by itself once the server does.`,
    { cause },
  );
}
