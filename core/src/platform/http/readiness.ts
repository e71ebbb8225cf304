import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { ReadinessCheck } from "./types.ts";

export interface Readiness {
  /** Name of each check and what is wrong with it; undefined where it is fine. */
  readonly checks: ReadonlyMap<string, string | undefined>;
  readonly ready: boolean;
}

/** Whether everything that the core needs answers now. Many who ask at once share one round. */
export class ReadinessChecks {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #log: Logger;
  readonly #timeoutMs: number;
  #round: Promise<Readiness> | undefined;

  constructor(log: Logger, timeoutMs = 5_000) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
  }

  add(name: string, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  ask(): Promise<Readiness> {
    this.#round ??= this.#ask().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #ask(): Promise<Readiness> {
    const results = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await this.#run(name, check)] as const),
    );
    return { checks: new Map(results), ready: results.every(([, problem]) => problem === undefined) };
  }

  async #run(name: string, check: ReadinessCheck): Promise<string | undefined> {
    const late = Promise.withResolvers<never>();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const error = new StoaError("DEADLINE_EXCEEDED", `It did not answer within ${this.#timeoutMs} ms.`);
      controller.abort(error);
      late.reject(error);
    }, this.#timeoutMs);
    try {
      await Promise.race([Promise.resolve().then(() => check(controller.signal)), late.promise]);
      return undefined;
    } catch (thrown) {
      this.#log.warn({ err: thrown, check: name }, "readiness check failed");
      return StoaError.from(thrown).message;
    } finally {
      clearTimeout(timer);
    }
  }
}
