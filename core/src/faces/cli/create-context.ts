import type { Command } from "commander";
import type { LoadedConfig } from "#platform/config";
import { StoaError } from "#platform/errors";
import type { CliContext } from "./context.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";
import { settingFlags } from "./setting-flags.ts";

/** The imports inside are what makes `stoa --help` quick: nothing is loaded that a command does not use. */
export function createContext({ io, out, version }: { io: Io; out: Output; version: string }): CliContext {
  const findCore = async (loaded: LoadedConfig) => {
    const { findCore } = await import("./core-client.ts");
    return findCore(loaded.config.home, io.env);
  };
  return {
    io,
    out,
    version,
    findCore,
    async loadConfig(command: Command, { printWarnings = true } = {}) {
      const { loadConfig } = await import("#platform/config");
      const { config: file } = command.optsWithGlobals<{ config?: string }>();
      const loaded = loadConfig({ cwd: io.cwd, env: io.env, flags: settingFlags(command), file });
      if (printWarnings) for (const warning of loaded.warnings) out.warn(warning);
      return loaded;
    },
    async connect(loaded) {
      const core = await findCore(loaded);
      if (core) return core;
      throw new StoaError(
        "UNAVAILABLE",
        `No core runs on ${loaded.config.home}. Start one with \`stoa up\`.`,
        {
          details: { home: loaded.config.home },
        },
      );
    },
    async openStore(loaded) {
      const { openStoreDirectly } = await import("./direct-store.ts");
      return openStoreDirectly(loaded.config);
    },
  };
}
