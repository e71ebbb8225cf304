import { Registry } from "prom-client";
import type { Logger } from "#platform/log";
import type { Telemetry } from "#platform/telemetry";
import type { Bus } from "./bus.ts";
import { MemoryBus } from "./memory-bus.ts";
import { createBusMetrics } from "./metrics.ts";
import { tracedBus } from "./traced-bus.ts";

export interface BusAddress {
  /** NATS_URL; without it the bus stays inside this process. */
  readonly url?: string | undefined;
}

export interface OpenBusOptions {
  readonly log: Logger;
  readonly telemetry?: Telemetry | undefined;
  /** Ends the attempts to connect. */
  readonly signal?: AbortSignal | undefined;
  /** How long to try to reach the server at start. */
  readonly connectTimeoutMs?: number;
  /** How long close waits for handlers. */
  readonly drainTimeoutMs?: number;
  /** Largest message in process; on NATS the server says. */
  readonly maxPayload?: number;
}

export async function openBus(address: BusAddress, options: OpenBusOptions): Promise<Bus> {
  const { telemetry, signal, connectTimeoutMs = 15_000, drainTimeoutMs = 10_000 } = options;
  const log = options.log.child({ part: "bus" });
  const metrics = createBusMetrics(telemetry?.registry ?? new Registry());
  const bus = address.url
    ? await openNats(address.url)
    : new MemoryBus({ log, metrics, drainTimeoutMs, maxPayload: options.maxPayload ?? 1024 * 1024 });
  return telemetry?.tracing ? tracedBus(bus, telemetry.tracer, address.url ? "nats" : "in_process") : bus;

  async function openNats(url: string): Promise<Bus> {
    // Loaded only by those who have a server: the client costs a start some tens of milliseconds.
    const [{ parseNatsUrl }, { connectNats }, { NatsBus }] = await Promise.all([
      import("./nats-address.ts"),
      import("./nats-connect.ts"),
      import("./nats-bus.ts"),
    ]);
    const natsAddress = parseNatsUrl(url);
    const connection = await connectNats(natsAddress, { log, connectTimeoutMs, signal });
    return new NatsBus(connection, { log, metrics, drainTimeoutMs, servers: natsAddress.servers });
  }
}
