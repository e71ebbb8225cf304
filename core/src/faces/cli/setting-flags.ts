import { type Command, Option } from "commander";
import type { FlagValues } from "#platform/config";

/**
 * The flags that set what stoa.yaml can set too. They are written out here, and not made from the schema,
 * because loading that would make `stoa --help` slow; a test keeps the two in step.
 */
const flags: readonly (readonly [flag: string, description: string, choices?: readonly string[]])[] = [
  ["--host <address>", "listen on this address, HTTP and gRPC both"],
  ["--http-host <address>", "listen on this address for HTTP"],
  ["--http-port <port>", "listen on this port for HTTP (3775)"],
  ["--grpc-host <address>", "listen on this address for gRPC"],
  ["--grpc-port <port>", "listen on this port for gRPC (3774)"],
  ["--no-grpc", "serve no gRPC"],
  ["--fleet <folder>", "serve the fleet in this folder"],
  ["--no-demo", "do not serve the demo fleet where no fleet is set"],
  ["--database-url <url>", "use this PostgreSQL database"],
  ["--nats-url <url>", "use this NATS server"],
  ["--drain-timeout <seconds>", "how long work may take to finish when the core stops"],
  [
    "--log-level <level>",
    "the least severe kind of line that is logged",
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
  ],
  ["--log-format <format>", "how log lines look", ["auto", "json", "pretty"]],
];

const heading = "Settings (also in stoa.yaml and the environment; see docs/configuration.md):";

export function addSettingFlags(command: Command): Command {
  for (const [flag, description, choices] of flags) {
    const option = new Option(flag, description).helpGroup(heading);
    // Only offered to the shell: the configuration itself judges values, and says more when one is wrong.
    if (choices) completionChoices.set(option, choices);
    command.addOption(option);
    // The opposite of `--no-x` is the default; it is understood, and not worth a line of help.
    if (flag.startsWith("--no-")) {
      command.addOption(new Option(flag.replace("--no-", "--")).helpGroup(heading).hideHelp());
    }
  }
  return command;
}

export const completionChoices = new WeakMap<Option, readonly string[]>();

/** The settings that were given on the command line, by flag. */
export function settingFlags(command: Command): FlagValues {
  const given: Record<string, string | boolean> = {};
  for (let current: Command | null = command; current; current = current.parent) {
    for (const option of current.options) {
      const isSetting = option.helpGroupHeading === heading || option.long === "--home";
      if (!isSetting || !option.long) continue;
      if (current.getOptionValueSource(option.attributeName()) !== "cli") continue;
      given[option.long.replace(/^--no-/, "--")] = current.getOptionValue(option.attributeName());
    }
  }
  return given;
}
