import type { Command } from "commander";

/** Examples at the end of a command's help: `[["stoa up", "start a core here"], …]`. */
export function examples(
  command: Command,
  lines: readonly (readonly [command: string, meaning: string])[],
): Command {
  const width = Math.max(...lines.map(([text]) => text.length));
  const text = lines.map(([line, meaning]) => `  $ ${line.padEnd(width)}   ${meaning}`.trimEnd());
  return command.addHelpText("after", ["", "Examples:", ...text].join("\n"));
}
