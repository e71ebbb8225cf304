import { Writable } from "node:stream";
import type { Command } from "commander";
import { exitCodes } from "#platform/errors";
import { processIo } from "./io.ts";
import { createProgram, exitCodeMeanings } from "./program.ts";

/** docs/cli.md, made from the commands so that it cannot be out of date. */
export function cliReference(): string {
  const chunks: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const { program } = createProgram({ ...processIo(), stdout }, { showGlobalOptions: false });
  const helpOf = (command: Command) => {
    chunks.length = 0;
    command.outputHelp();
    return chunks.join("").trimEnd();
  };
  const sections = leaves(program).map((command) =>
    [`## ${words(command)}`, "", "```text", helpOf(command), "```", ""].join("\n"),
  );
  return `${[introduction(), ...sections].join("\n").trimEnd()}\n`;
}

function leaves(command: Command): Command[] {
  const inner = command.commands.filter((sub) => sub.name() !== "help");
  return inner.length === 0 ? [command] : inner.flatMap(leaves);
}

function words(command: Command): string {
  return command.parent ? `${words(command.parent)} ${command.name()}` : command.name();
}

function introduction(): string {
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${exitCodeMeanings[name as keyof typeof exitCodes]} |`,
  );
  return `# The command line

\`npx stoa …\` runs the command from the project's root. It starts on any Node from 20 on and finds the Node it needs by itself.

- \`--json\`, on every command: the answer is one JSON document on one line of stdout (commands that stream print one per line),
  errors and warnings are JSON on stderr.
- \`--home <folder>\` and \`--config <file>\`, on every command: which core is meant, and which configuration it has. Without them
  \`STOA_HOME\` or \`.stoa\`, and \`STOA_CONFIG\` or \`stoa.yaml\`.
- A command on the home of a running core needs no key: it shows the core a credential that only the core's own user can read
  (\`cli.key\`, new at each start). For a core elsewhere set \`STOA_URL\` and \`STOA_API_KEY\`,
  and \`STOA_GRPC_URL\` (\`host:port\`) where its gRPC is not on port 3774 of the same host.
- Answers go to stdout, everything else to stderr. An error is a line \`error: …\` and a line \`hint: …\` that ends with its code
  ([errors.md](errors.md)). Colours appear on a terminal only, and never with \`NO_COLOR\`.
- Ctrl-C (or SIGTERM) lets \`stoa up\` finish what is under way and exit with 0; a second Ctrl-C ends it at once with 130.

| exit code | meaning |
|---|---|
${codes.join("\n")}
`;
}
