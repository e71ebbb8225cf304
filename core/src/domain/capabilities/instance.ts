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
}

/** One running server of one capability: started once however many ask, watched, and started anew after a crash. */
export class CapabilityInstance {
  readonly #capability: ToolCapability;
  readonly #options: InstanceOptions;
  #running: Promise<Running> | undefined;
  #status: CapabilityStatus = { state: "stopped" };
  readonly #stopping = new AbortController();

  constructor(capability: ToolCapability, options: InstanceOptions) {
    this.#capability = capability;
    this.#options = options;
  }

  get status(): CapabilityStatus {
    return this.#status;
  }

  /** The wire of a server that is ready; starts one if there is none. Parallel callers share one start. */
  async wire(): Promise<CapabilityWire> {
    this.#running ??= this.#start();
    const { wire } = await this.#running;
    if (this.#status.state === "unhealthy") throw this.#unhealthy(this.#status.reason);
    return wire;
  }

  /**
   * A call on this wire failed as if nobody were there. The server has crashed, or is about to be noticed to have:
   * unless it still answers, the next call gets a new one.
   */
  async suspect(wire: CapabilityWire): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    if (running?.wire !== wire) return;
    const answers = await wire.healthcheck({ timeoutMs: this.#options.healthTimeoutMs }).then(
      () => true,
      () => false,
    );
    if (answers || this.#running === undefined) return;
    this.#ended(wire, "it no longer answers");
    await running.sandbox.stop();
  }

  /** Asks the server how it is. Not ready, no answer in time and a broken call all mean unhealthy. */
  async check(): Promise<void> {
    if (this.#running === undefined) return;
    const running = await this.#running.catch(() => undefined);
    if (running === undefined) return;
    try {
      const health = await running.wire.healthcheck({ timeoutMs: this.#options.healthTimeoutMs });
      this.#set(
        health.ready
          ? { state: "ready" }
          : { state: "unhealthy", reason: health.message || "it reports not ready" },
      );
    } catch (thrown) {
      if (this.#running !== undefined) this.#set({ state: "unhealthy", reason: messageOf(thrown) });
    }
  }

  /** For good: a start that is under way is given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const running = await this.#running?.catch(() => undefined);
    this.#running = undefined;
    running?.wire.close();
    await running?.sandbox.stop();
    this.#set({ state: "stopped" });
  }

  async #start(): Promise<Running> {
    this.#set({ state: "starting" });
    try {
      const sandbox = await this.#options.driver.start({
        capabilityId: this.#capability.id,
        sessionId: "",
        program: this.#options.program,
        onOutput: this.#options.onOutput,
      });
      const wire = connectCapability(sandbox.address);
      const running = { sandbox, wire };
      await this.#untilReady(running);
      void sandbox.exited.then(({ code, signal }) =>
        this.#ended(wire, `it exited with ${signal ?? `code ${code}`}`),
      );
      this.#set({ state: "ready" });
      return running;
    } catch (thrown) {
      // The next call tries afresh instead of meeting this failure for ever.
      this.#running = undefined;
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
      exit = `its program ended with ${signal ?? `code ${code}`} before it was ready`;
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
    if (this.#stopping.signal.aborted)
      throw new StoaError("SHUTTING_DOWN", `Capability ${this.#capability.id} was stopped.`);
    throw this.#unhealthy(exit ?? `not ready within ${this.#options.readyTimeoutMs} ms: ${last}`);
  }

  #ended(wire: CapabilityWire, reason: string): void {
    wire.close();
    if (this.#running === undefined) return;
    this.#running = undefined;
    this.#set({ state: "unhealthy", reason: `${reason}; the next call starts it again` });
  }

  #set(status: CapabilityStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    this.#options.onStatus(status);
  }

  #unhealthy(reason: string): StoaError {
    return new StoaError(
      "CAPABILITY_UNHEALTHY",
      `Capability ${this.#capability.id} is not ready: ${reason}.`,
    );
  }
}
