import { type Bus, openBus } from "#platform/bus";
import type { Config, LoadedConfig } from "#platform/config";
import { type HomeLock, lockHome } from "#platform/home";
import { createLogger, type Logger } from "#platform/log";
import { openStore, type Store } from "#platform/store";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import type { Closing } from "./closing.ts";

export interface Platform {
  readonly config: Config;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly home: HomeLock;
  readonly store: Store;
  /** Between nodes, where there are several; in process where not. */
  readonly bus: Bus;
  /** The memory transport of typed capabilities, which never leaves the process. */
  readonly memoryBus: Bus;
  readonly clock: () => number;
}

export async function openPlatform(
  { config, warnings }: LoadedConfig,
  version: string,
  log: Logger,
  closing: Closing,
): Promise<Platform> {
  for (const warning of warnings) log.warn(warning);
  const home = lockHome(config.home);
  closing.add("home lock", () => home.release());
  const telemetry = createTelemetry({ ...config.telemetry, serviceVersion: version, log });
  closing.add("telemetry", () => telemetry.close());
  const store = await openStore(
    config.database.url === undefined ? { home: config.home } : { url: config.database.url },
    {
      log,
      poolSize: config.database.poolSize,
      statementTimeoutMs: config.database.statementTimeout * 1000,
      connectAttempts: config.database.connectAttempts,
    },
  );
  closing.add("store", () => store.close());
  const busOptions = { log, telemetry, drainTimeoutMs: config.drainTimeout * 1000 };
  const memoryBus = await openBus({}, busOptions);
  closing.add("memory bus", () => memoryBus.close());
  const bus = config.nats.url === undefined ? memoryBus : await openBus({ url: config.nats.url }, busOptions);
  if (bus !== memoryBus) closing.add("bus", () => bus.close());
  return { config, log, telemetry, home, store, bus, memoryBus, clock: Date.now };
}

export function coreLogger(config: Config): Logger {
  return createLogger({ level: config.log.level, format: config.log.format });
}
