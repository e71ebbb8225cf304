import { readFileSync } from "node:fs";
import { Command } from "commander";
import { exitCodes } from "#platform/errors";
import { commands } from "./commands/index.ts";
import { createContext } from "./create-context.ts";
import { examples } from "./examples.ts";
import type { Io } from "./io.ts";
import { Output } from "./output.ts";

export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: "done",
  failure: "it did not work, or a check found something",
  usage: "the command was written wrongly",
  config: "the configuration, a file or a key is not usable",
  unavailable: "something that is needed does not answer; try again",
  auth: "not signed in, or not allowed",
  conflict: "in the way of something: a port, a name, another core",
  interrupted: "stopped by Ctrl-C before it was done",
};

/** The whole command line, built afresh for each run. */
export function createProgram(io: Io, help = { showGlobalOptions: true }): { program: Command; out: Output } {
  const program = new Command("stoa");
  const out = new Output(io, () => program.opts<{ json?: boolean }>().json === true);
  const version = readVersion();
  program
    .description("A self-hosted core where agents and tools work under contract.")
    .version(version, "-V, --version", "print the version")
    .option("--json", "print JSON, for programs")
    .option("--home <folder>", "the folder that holds the core's data (STOA_HOME, .stoa)")
    .option("--config <file>", "the configuration file (STOA_CONFIG, stoa.yaml)")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp(help)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // Errors are printed once, by main, in the form that all errors have.
      outputError: () => undefined,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText("after", exitCodeHelp);
  examples(program, [
    ["stoa up", "start a core here"],
    ["stoa doctor", "see what is fine and what is not"],
    ["stoa key create --help", "how to create an API key"],
  ]);
  const context = createContext({ io, out, version });
  for (const register of commands) register(program, context);
  return { program, out };
}

function widthOf(stream: NodeJS.WritableStream): number {
  return (stream as Partial<NodeJS.WriteStream>).columns ?? 100;
}

function exitCodeHelp(): string {
  const lines = Object.entries(exitCodes).map(
    ([name, code]) => `  ${String(code).padEnd(4)} ${exitCodeMeanings[name as keyof typeof exitCodes]}`,
  );
  return ["", "Exit codes:", ...lines].join("\n");
}

function readVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}
