import { join } from "node:path";
import { isStoaError, messageOf, StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { SandboxDriver } from "#platform/sandbox";
import type { CapabilityStatus, ToolCapability } from "./capability.ts";
import { CapabilityInstance } from "./instance.ts";
import type { CallOptions, InvokeCall, InvokeResult } from "./wire.ts";

export interface CapabilityRuntimeOptions {
  readonly driver: SandboxDriver;
  readonly log: Logger;
  readonly healthIntervalMs: number;
  readonly readyTimeoutMs?: number;
  readonly healthTimeoutMs?: number;
}

/** Keeps one instance per capability, asks each how it is in turn, and stops them all at the end. */
export class CapabilityRuntime {
  readonly #options: CapabilityRuntimeOptions;
  readonly #instances = new Map<string, CapabilityInstance>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: CapabilityRuntimeOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.checkAll(), options.healthIntervalMs);
    this.#timer.unref();
  }

  /** Brings the capability's server up, if it is not. */
  async start(capability: ToolCapability): Promise<void> {
    await this.#instance(capability).wire();
  }

  async invoke(
    capability: ToolCapability,
    call: Omit<InvokeCall, "capabilityId">,
    options: CallOptions,
  ): Promise<InvokeResult> {
    const instance = this.#instance(capability);
    const wire = await instance.wire();
    try {
      return await wire.invoke({ ...call, capabilityId: capability.id }, options);
    } catch (thrown) {
      if (isStoaError(thrown, "CANCELLED") || isStoaError(thrown, "DEADLINE_EXCEEDED")) throw thrown;
      if (isStoaError(thrown) && thrown.details.grpcStatus === "UNAVAILABLE") {
        await instance.suspect(wire);
        const message = `Capability ${capability.id} went away during the call; whether ${call.toolName} ran is not known.`;
        throw new StoaError("CAPABILITY_UNHEALTHY", message, { cause: thrown });
      }
      // Whatever status it chose is its own failure: none of our codes is its to use.
      throw new StoaError("TOOL_FAILED", `${capability.id}: ${messageOf(thrown)}`, { cause: thrown });
    }
  }

  status(capability: ToolCapability): CapabilityStatus {
    return this.#instances.get(capability.id)?.status ?? { state: "stopped" };
  }

  async checkAll(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.check()));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#instances.values()].map((instance) => instance.stop()));
  }

  #instance(capability: ToolCapability): CapabilityInstance {
    const known = this.#instances.get(capability.id);
    if (known !== undefined) return known;
    const log = this.#options.log.child({ capability: capability.id });
    const instance = new CapabilityInstance(capability, {
      driver: this.#options.driver,
      program: programOf(capability),
      readyTimeoutMs: this.#options.readyTimeoutMs ?? 15_000,
      healthTimeoutMs: this.#options.healthTimeoutMs ?? 5_000,
      onOutput: (line) => log.debug({ line }, "capability output"),
      onStatus: (status) => {
        if (status.state === "unhealthy") log.warn({ status }, "capability is unhealthy");
        else log.debug({ status }, "capability status");
      },
    });
    this.#instances.set(capability.id, instance);
    return instance;
  }
}

function programOf(capability: ToolCapability): string {
  const { image } = capability.manifest;
  if (image.kind === "file") return join(capability.folder, image.path);
  throw new StoaError(
    "FAILED_PRECONDITION",
    `Capability ${capability.id} needs the container image ${image.ref}, and this core has no container driver. ` +
      "Use `image: file:./server.ts` to run a program beside the manifest.",
  );
}
