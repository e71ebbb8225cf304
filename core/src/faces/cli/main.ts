import { CommanderError } from "commander";
import { exitCodes, StoaError } from "#platform/errors";
import { ExitWith } from "./exit.ts";
import { type Io, processIo } from "./io.ts";
import { createProgram } from "./program.ts";

/** Runs one command line and returns its exit code. Nothing is thrown: what went wrong has been printed. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  // A reader that has seen enough (`stoa key list | head -1`) is no error.
  io.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.ok);
    throw error;
  });
  const { program, out } = createProgram(io);
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: "user" });
    return exitCodes.ok;
  } catch (thrown) {
    if (thrown instanceof ExitWith) return thrown.exitCode;
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    // A command that needs a word after it (`stoa key`) has printed its help already.
    if (thrown instanceof CommanderError && thrown.code === "commander.help") return exitCodes.usage;
    const error = thrown instanceof CommanderError ? usageError(thrown) : StoaError.from(thrown);
    out.error(error);
    return error.entry.exit;
  }
}

function usageError(error: CommanderError): StoaError {
  const message = error.message.replace(/^error: /, "").replace(/\n\(?(Did you mean [^)]*)\)?$/, "; $1");
  return new StoaError("USAGE", `${message}`);
}
