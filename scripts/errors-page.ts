import { type CatalogueEntry, exitCodes } from "../core/src/platform/errors/index.ts";

const exitMeanings: Record<keyof typeof exitCodes, string> = {
  ok: "it did what was asked",
  failure: "it failed; the message says why",
  usage: "the command or a value given to it is wrong",
  config: "the configuration, or a file it names, is wrong",
  unavailable: "something it needs is not there: a database, a broker, a port, the core",
  auth: "it is not signed in, or may not do this",
  conflict:
    "it does not fit the state of things: something exists already, is in use, or was changed by others",
  interrupted: "it was interrupted (Ctrl-C) before it was done",
};

/** docs/errors.md, made from the catalogue so that it cannot be out of date. */
export function errorsPage(catalogue: Readonly<Record<string, CatalogueEntry>>): string {
  const codes = Object.entries(catalogue);
  const rows = codes.map(
    ([code, { grpc, http, jsonRpc, exit }]) =>
      `| [${code}](#${anchor(code)}) | ${grpc} | ${http} | ${jsonRpc} | ${exit} |`,
  );
  const exits = Object.entries(exitCodes).map(
    ([name, exit]) => `| ${exit} | ${name} | ${exitMeanings[name as keyof typeof exitCodes]} |`,
  );
  const sections = codes.map(([code, { title, help }]) => `### ${code}\n\n${title} ${help}\n`);
  return `# Errors

Every error that Stoa reports has a code. The code is the same wherever the error is met; each protocol carries it in its
own way: the status and its details in gRPC, the status and the error envelope in HTTP, the error object in JSON-RPC, the
exit code and \`--json\` output on the command line. The message beside it says what happened, where, and what to do.

| code | gRPC | HTTP | JSON-RPC | exit |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

## Exit codes of \`stoa\`

| exit | name | meaning |
| --- | --- | --- |
${exits.join("\n")}

## What they mean, and what to do

${sections.join("\n")}`;
}

/** Headings get the anchor that Markdown renderers derive from their text. */
function anchor(code: string): string {
  return code.toLowerCase();
}
