import { StoaError } from "#platform/errors";
import type { BusMessage, RequestOptions } from "./bus.ts";
import { decodeError } from "./error-reply.ts";

const longestTimeout = 2 ** 31 - 1;

interface Waiting {
  readonly subject: string;
  readonly answer: (message: BusMessage) => void;
  readonly fail: (error: StoaError) => void;
}

/** Requests that wait for their answer, each with its deadline and its caller's signal. */
export class Requests {
  readonly #waiting = new Map<string, Waiting>();
  #counter = 0;

  /** Sends with `send` and waits. The id is how an answer finds back. */
  open(
    subject: string,
    options: RequestOptions,
    send: (id: string) => Promise<void> | void,
  ): Promise<BusMessage> {
    const { timeoutMs, signal } = options;
    if (!(timeoutMs > 0 && timeoutMs <= longestTimeout)) {
      throw new StoaError(
        "INVALID_ARGUMENT",
        `timeoutMs of a bus request is ${timeoutMs}; it must be more than 0 and at most ${longestTimeout}.`,
      );
    }
    throwIfAborted(signal);
    const id = (++this.#counter).toString(36);
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      const fail = (error: StoaError) => {
        settle();
        reject(error);
      };
      const answer = (message: BusMessage) => {
        settle();
        const error = decodeError(message);
        if (error === undefined) resolve({ subject, data: message.data, headers: message.headers });
        else reject(error);
      };
      const aborted = () => fail(abortError(signal));
      const timer = setTimeout(() => {
        fail(
          new StoaError("DEADLINE_EXCEEDED", `No answer on ${subject} within ${timeoutMs} ms.`, {
            details: { subject, timeoutMs },
          }),
        );
      }, timeoutMs);
      signal?.addEventListener("abort", aborted, { once: true });
      this.#waiting.set(id, { subject, answer, fail });
      Promise.resolve()
        .then(() => (this.#waiting.has(id) ? send(id) : undefined))
        .catch((thrown) => this.#waiting.get(id)?.fail(StoaError.from(thrown)));
    });
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** The first answer counts; later ones find nobody. */
  answer(id: string, message: BusMessage): void {
    this.#waiting.get(id)?.answer(message);
  }

  /** Nobody listens where this request went. */
  unheard(id: string): void {
    const waiting = this.#waiting.get(id);
    waiting?.fail(noResponders(waiting.subject));
  }

  failAll(error: () => StoaError): void {
    for (const waiting of [...this.#waiting.values()]) waiting.fail(error());
  }
}

export function noResponders(subject: string): StoaError {
  return new StoaError("UNAVAILABLE", `Nobody answers on ${subject}: no subscription covers it.`, {
    details: { subject },
  });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

// Whatever a caller gives as reason, stopping was its wish: only a timeout is called otherwise.
function abortError(signal: AbortSignal | undefined): StoaError {
  const error = StoaError.from(signal?.reason);
  return error.code === "INTERNAL" && error.cause === signal?.reason
    ? new StoaError("CANCELLED", "The call was cancelled.", { cause: signal?.reason })
    : error;
}
