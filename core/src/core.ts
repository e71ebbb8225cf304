import { readFileSync } from "node:fs";
import { createLedger } from "#domain/ledger";
import type { LoadedConfig } from "#platform/config";
import { Closing } from "./assembly/closing.ts";
import { buildDomain } from "./assembly/domain.ts";
import { openFaces } from "./assembly/faces.ts";
import { loadConfiguredFleet } from "./assembly/fleet.ts";
import { openIdentity } from "./assembly/identity.ts";
import { coreLogger, openPlatform } from "./assembly/platform.ts";

export interface RunningCore {
  readonly http: { readonly host: string; readonly port: number };
  readonly grpc?: { readonly host: string; readonly port: number };
  /** The first admin key, on the start that made it; shown once and kept nowhere. */
  readonly adminKey?: string;
  /** Takes no new work, lets what is under way finish, and closes everything. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Where the log goes, if not to standard error. */
  readonly log?: ReturnType<typeof coreLogger>;
}

/** Puts the parts together, from the bottom up: platform, domain, faces. */
export async function startCore(loaded: LoadedConfig, options: StartOptions = {}): Promise<RunningCore> {
  const { config } = loaded;
  const startedAt = Date.now();
  const version = readVersion();
  const log = options.log ?? coreLogger(config);
  const closing = new Closing();
  try {
    // Files are read before anything is opened: a fleet with a mistake in it should not start half a core.
    const fleet = await loadConfiguredFleet(config, log);
    const platform = await openPlatform(loaded, version, log, closing);
    const { store, clock } = platform;
    const ledger = createLedger({ store, home: config.home, log, clock });
    closing.add("ledger", () => ledger.close());
    const identity = await openIdentity(platform, ledger);
    const faces = await openFaces({ platform, identity, version, startedAt, closing }, (listeners) =>
      buildDomain(platform, ledger, fleet, listeners, closing),
    );
    platform.home.publish({ http: faces.http, ...(faces.grpc === undefined ? {} : { grpc: faces.grpc }) });
    log.info({ http: faces.http, grpc: faces.grpc, version }, "the core is up");
    return {
      ...faces,
      ...(identity.adminKey === undefined ? {} : { adminKey: identity.adminKey }),
      stop: () => closing.run(log),
    };
  } catch (thrown) {
    await closing.run(log);
    throw thrown;
  }
}

function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return String((JSON.parse(readFileSync(file, "utf8")) as { version: string }).version);
}
