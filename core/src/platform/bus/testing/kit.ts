import { expect } from "vitest";
import { isStoaError, type StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import type { Bus, BusMessage } from "../bus.ts";
import type { OpenBusOptions } from "../open-bus.ts";

export interface SuiteBus {
  readonly bus: Bus;
  /** A second way in: another connection where there are connections. */
  readonly other: Bus;
}

export type OpenSuiteBus = (options: OpenBusOptions) => Promise<SuiteBus>;

export interface SetUp extends SuiteBus {
  readonly telemetry: Telemetry;
  readonly lines: string[];
  /** Nobody else uses it, nor what is below it. */
  readonly subject: string;
}

export interface Kit {
  setUp(options?: Partial<OpenBusOptions>): Promise<SetUp>;
  /** Call it in afterEach. */
  cleanUp(): Promise<void>;
}

export const waiting = { timeout: 60_000, interval: 5 };
export const never = { timeoutMs: 2 ** 31 - 1 };
export const bytes = (text: string) => new TextEncoder().encode(text);
export const text = (data: Uint8Array) => new TextDecoder().decode(data);

let counter = 0;

export function createKit(open: OpenSuiteBus): Kit {
  const undo: Array<() => Promise<void>> = [];
  return {
    async setUp(options = {}) {
      const lines: string[] = [];
      const log = createLogger({ format: "json", destination: { write: (line) => void lines.push(line) } });
      const telemetry = createTelemetry();
      const buses = await open({ log, telemetry, ...options });
      undo.push(async () => {
        await buses.bus.close();
        await buses.other.close();
        await telemetry.close();
      });
      return { ...buses, telemetry, lines, subject: `suite.${process.pid}.${Date.now()}.${++counter}` };
    },
    async cleanUp() {
      for (const close of undo.splice(0).reverse()) await close();
    },
  };
}

/** A message has walked the same way: whatever was sent before it has arrived. */
export async function barrier(from: Bus, to: Bus, subject: string): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  const subscription = await to.subscribe(`${subject}.barrier`, () => arrived.resolve());
  await from.publish(`${subject}.barrier`, bytes(""));
  await arrived.promise;
  subscription.unsubscribe();
}

export async function count(telemetry: Telemetry, name: string): Promise<number> {
  const metric = await telemetry.registry.getSingleMetric(name)?.get();
  return metric?.values[0]?.value ?? 0;
}

export function collect() {
  const messages: BusMessage[] = [];
  return { messages, handler: (message: BusMessage) => void messages.push(message) };
}

export async function failure(promise: Promise<unknown>): Promise<StoaError> {
  const thrown = await promise.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error,
  );
  if (!isStoaError(thrown)) throw thrown;
  return thrown;
}
