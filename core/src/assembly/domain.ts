import { randomUUIDv7 } from "node:crypto";
import {
  AgentDirectory,
  type AgentListeners,
  AgentRegistry,
  answerByHandler,
  answerNatively,
  answerTypedCall,
  type NativeDependencies,
  Tasks,
  TurnLog,
  Turns,
  turnDeadlineMs,
} from "#domain/agents";
import { CapabilityCatalogue, CapabilityRuntime } from "#domain/capabilities";
import type { Fleet } from "#domain/contracts/fleet";
import { createInvocationMetrics, type InvokeDependencies } from "#domain/invocations";
import type { Ledger } from "#domain/ledger";
import { Memory } from "#domain/memory";
import { AgentCapabilities, serveRequests } from "#domain/rpc";
import { isStoaError, StoaError } from "#platform/errors";
import { createOfflineModel } from "#platform/models";
import { createProcessDriver } from "#platform/sandbox";
import type { Closing } from "./closing.ts";
import { nativeAgents } from "./fleet.ts";
import type { Platform } from "./platform.ts";

export interface Domain {
  readonly ledger: Ledger;
  readonly memory: Memory;
  readonly catalogue: CapabilityCatalogue;
  readonly runtime: CapabilityRuntime;
  readonly agentCapabilities: AgentCapabilities;
  readonly invoke: InvokeDependencies;
  readonly registry: AgentRegistry;
  readonly directory: AgentDirectory;
  readonly turns: Turns;
  readonly tasks: Tasks;
  readonly nextId: () => string;
  /** Takes up what was left at the last stop, and lets the fleet's agents take requests. */
  start(): Promise<void>;
  /** Brings the capabilities up, beside everything else: a call that comes early waits for its own alone. */
  warmUp(): void;
}

export async function buildDomain(
  platform: Platform,
  ledger: Ledger,
  fleet: Fleet | undefined,
  listeners: AgentListeners,
  closing: Closing,
): Promise<Domain> {
  const { config, log, store, telemetry, memoryBus, clock } = platform;
  const nextId = () => randomUUIDv7();
  const memory = new Memory({ store, clock });

  const catalogue = new CapabilityCatalogue();
  for (const { manifest, folder } of fleet?.toolCapabilities ?? []) catalogue.add(manifest, folder);
  const healthIntervalMs = config.grpc.healthCheckInterval * 1000;
  const runtime = new CapabilityRuntime({ driver: createProcessDriver(), log, healthIntervalMs });
  closing.add("capabilities", () => runtime.stop());

  const agentCapabilities = new AgentCapabilities();
  for (const agent of fleet?.agents ?? [])
    if (agent.capabilities !== undefined) agentCapabilities.add(agent.capabilities);
  const invoke: InvokeDependencies = {
    catalogue,
    runtime,
    agentCapabilities,
    bus: memoryBus,
    store,
    ledger,
    clock,
    nextId,
    metrics: createInvocationMetrics(telemetry),
    log,
  };

  const native = fleet === undefined ? [] : nativeAgents(fleet, catalogue);
  const registry = new AgentRegistry({
    store,
    ledger,
    listeners,
    home: config.home,
    clock,
    log,
    healthCheckIntervalMs: healthIntervalMs,
    isReserved: (id) => native.some((agent) => agent.id === id),
  });
  closing.add("registered agents", () => registry.close());
  const directory = new AgentDirectory(native, registry);
  const nativeDeps: NativeDependencies = {
    model: createOfflineModel({ nextId }),
    invoke,
    nextId,
    catalogue,
    agentCapabilities,
  };
  const handlerTimeoutMs = config.grpc.handlerTimeout * 1000;
  const turnLog = new TurnLog(store, clock);
  const turns = new Turns({
    log,
    turnLog,
    nextId,
    findAgent: (text, workspaceId) => directory.findByIdOrName(text, workspaceId),
    manager: () => fleet?.manager,
    answer: (agent, turn) =>
      agent.kind === "native"
        ? answerNatively(agent, turn, nativeDeps)
        : answerByHandler(agent, turn, { registry, handlerTimeoutMs }),
  });

  return {
    ledger,
    memory,
    catalogue,
    runtime,
    agentCapabilities,
    invoke,
    registry,
    directory,
    turns,
    tasks: new Tasks({ store, clock }),
    nextId,
    async start() {
      await ledger.start();
      await turnLog.markInterrupted(turnDeadlineMs);
      for (const served of agentCapabilities.configs()) {
        const agent = directory.native(served.agentId);
        if (agent === undefined)
          throw new StoaError("INTERNAL", `agent ${served.agentId} declares capabilities and is not loaded`);
        await serveRequests(memoryBus, {
          config: served,
          clock,
          nextId,
          log,
          handle: (capability, payload, envelope, signal) =>
            answerTypedCall(agent, capability, payload, envelope, signal, { ...nativeDeps, turns }),
        });
      }
      await registry.restore();
    },
    warmUp() {
      for (const capability of catalogue.list()) {
        runtime.start(capability).catch((error: unknown) => {
          if (isStoaError(error, "SHUTTING_DOWN")) return;
          log.warn({ capability: capability.id, err: error }, "capability did not start");
        });
      }
    },
  };
}
