import type { Command } from "commander";
import type { LoadedConfig } from "#platform/config";
import type { Store } from "#platform/store";
import type { CoreClient } from "./core-client.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";

/** What every command gets. Everything heavy behind it is loaded when it is asked for. */
export interface CliContext {
  readonly io: Io;
  readonly out: Output;
  readonly version: string;
  /**
   * The configuration in effect for `command`: its own flags, and the global ones. Warnings are printed, unless
   * the command passes them on to somebody who will say them.
   */
  loadConfig(command: Command, options?: { readonly printWarnings?: boolean }): Promise<LoadedConfig>;
  /** The core of this home, or the one that STOA_URL names. Fails with UNAVAILABLE where none runs. */
  connect(loaded: LoadedConfig): Promise<CoreClient>;
  /** As `connect`, or undefined where no core runs on this home. */
  findCore(loaded: LoadedConfig): Promise<CoreClient | undefined>;
  /**
   * The store itself, for use while no core runs: the home is locked meanwhile. Closing it gives it free.
   * With PostgreSQL it may be used at any time.
   */
  openStore(loaded: LoadedConfig): Promise<Store>;
}

/** One file in commands/ for each command, exporting this under the name `register`. */
export type RegisterCommand = (program: Command, context: CliContext) => void;
