import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, StoaError } from "#platform/errors";
import type { Sandbox, SandboxDriver } from "#platform/sandbox";
import type { CapabilityStatus, ToolCapability } from "./capability.ts";
import { type CapabilityWire, connectCapability } from "./wire.ts";

export interface InstanceOptions {
  readonly driver: SandboxDriver;
  readonly program: string;
  readonly readyTimeoutMs: number;
  readonly healthTimeoutMs: number;
  readonly onOutput: (line: string) => void;
  readonly onStatus: (status: CapabilityStatus) => void;
}

interface Running {
  readonly sandbox: Sandbox;
  readonly wire: CapabilityWire;
  /** Health checks in a row that got no answer at all. */
  unanswered: number;
}

/** A server that says nothing this often is given up, and the next call starts another. */
const unansweredLimit = 3;
const lastWordsKept = 12;

/** One running server of one capability: started once however many ask, watched, and started anew after a crash. */
export class CapabilityInstance {
  readonly #capability: ToolCapability;
  readonly #options: InstanceOptions;
  readonly #stopping = new AbortController();
  /** The start that is under way or done; callers share it. */
  #starting: Promise<Running> | undefined;
  /** The server that is up. What is heard of any other is out of date. */
  #current: Running | undefined;
  #status: CapabilityStatus = { state: "stopped" };
  /** The last lines the program printed: where it dies at its start, they say why. */
  #lastWords: string[] = [];

  constructor(capability: ToolCapability, options: InstanceOptions) {
    this.#capability = capability;
    this.#options = options;
  }

  get status(): CapabilityStatus {
    return this.#status;
  }

  /** The wire of a server that is ready; starts one if there is none. */
  async wire(): Promise<CapabilityWire> {
    if (this.#stopping.signal.aborted) throw this.#stopped();
    this.#starting ??= this.#start();
    const { wire } = await this.#starting;
    if (this.#status.state === "unhealthy") throw this.#unhealthy(this.#status.reason);
    return wire;
  }

  /** Asks the server how it is. Not ready, no answer in time and a broken call all mean unhealthy. */
  async check(): Promise<void> {
    const running = this.#current;
    if (running === undefined) return;
    const health = await this.#ask(running);
    if (this.#current !== running) return;
    if (health === undefined && running.unanswered >= unansweredLimit) {
      await this.#giveUp(running, `it left ${running.unanswered} health checks unanswered`);
    } else if (health === undefined)
      this.#set({ state: "unhealthy", reason: "it does not answer health checks" });
    else if (health.ready) this.#set({ state: "ready" });
    else this.#set({ state: "unhealthy", reason: health.message || "it reports not ready" });
  }

  /**
   * A call on this wire failed as if nobody were there. The server has crashed, or is about to be noticed to have:
   * unless it still answers, the next call gets a new one.
   */
  async suspect(wire: CapabilityWire): Promise<void> {
    const running = this.#current;
    if (running?.wire !== wire) return;
    if ((await this.#ask(running)) === undefined) await this.#giveUp(running, "it no longer answers");
  }

  /** For good: a start that is under way is given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#starting?.catch(() => {});
    const running = this.#current;
    this.#forget();
    running?.wire.close();
    await running?.sandbox.stop();
    this.#set({ state: "stopped" });
  }

  async #start(): Promise<Running> {
    this.#set({ state: "starting" });
    this.#lastWords = [];
    try {
      const sandbox = await this.#options.driver.start({
        capabilityId: this.#capability.id,
        sessionId: "",
        program: this.#options.program,
        onOutput: (line) => {
          this.#lastWords = [...this.#lastWords, line].slice(-lastWordsKept);
          this.#options.onOutput(line);
        },
      });
      const running: Running = { sandbox, wire: connectCapability(sandbox.address), unanswered: 0 };
      await this.#untilReady(running);
      this.#current = running;
      void sandbox.exited.then(({ code, signal }) => {
        if (this.#current === running)
          void this.#giveUp(running, `it exited with ${signal ?? `code ${code}`}`);
      });
      this.#set({ state: "ready" });
      return running;
    } catch (thrown) {
      // The next call tries afresh instead of meeting this failure for ever.
      this.#forget();
      this.#set({ state: "unhealthy", reason: messageOf(thrown) });
      throw thrown;
    }
  }

  async #untilReady({ sandbox, wire }: Running): Promise<void> {
    const deadline = AbortSignal.any([
      AbortSignal.timeout(this.#options.readyTimeoutMs),
      this.#stopping.signal,
    ]);
    let last = "it did not answer";
    let exit: string | undefined;
    void sandbox.exited.then(({ code, signal }) => {
      exit = `its program ended with ${signal ?? `code ${code}`} before it was ready${this.#said()}`;
    });
    while (!deadline.aborted && exit === undefined) {
      try {
        const health = await wire.healthcheck({ timeoutMs: this.#options.healthTimeoutMs, signal: deadline });
        if (health.ready) return;
        last = health.message || "it reports not ready";
      } catch (thrown) {
        last = messageOf(thrown);
      }
      await sleep(25);
    }
    wire.close();
    await sandbox.stop();
    if (this.#stopping.signal.aborted) throw this.#stopped();
    throw this.#unhealthy(
      exit ?? `not ready within ${this.#options.readyTimeoutMs} ms: ${last}${this.#said()}`,
    );
  }

  /** What the server says of itself, or undefined where it says nothing. */
  async #ask(running: Running) {
    try {
      const health = await running.wire.healthcheck({ timeoutMs: this.#options.healthTimeoutMs });
      running.unanswered = 0;
      return health;
    } catch {
      running.unanswered++;
      return undefined;
    }
  }

  async #giveUp(running: Running, reason: string): Promise<void> {
    if (this.#current !== running) return;
    this.#forget();
    this.#set({ state: "unhealthy", reason: `${reason}; the next call starts it again` });
    running.wire.close();
    await running.sandbox.stop();
  }

  #forget(): void {
    this.#starting = undefined;
    this.#current = undefined;
  }

  #set(status: CapabilityStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  #said(): string {
    const words = this.#lastWords.map((line) => line.trim()).filter((line) => line !== "");
    return words.length === 0 ? "" : `; it said: ${words.join(" | ")}`;
  }

  #unhealthy(reason: string): StoaError {
    return new StoaError(
      "CAPABILITY_UNHEALTHY",
      `Capability ${this.#capability.id} is not ready: ${reason}.`,
    );
  }

  #stopped(): StoaError {
    return new StoaError("SHUTTING_DOWN", `Capability ${this.#capability.id} was stopped.`);
  }
}
