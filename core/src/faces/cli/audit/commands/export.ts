import { type Command, Option } from "commander";
import type { CliContext } from "../../context.ts";
import { examples } from "../../examples.ts";
import type { ExportOptions } from "../export.ts";
import { subcommand, untilInterrupted, withAudit } from "../subcommand.ts";

export function exported(audit: Command, context: CliContext): void {
  const command = subcommand(audit, "export", "write records out, in the order of the chain")
    .addOption(new Option("--format <format>", "how").choices(["jsonl", "cef", "otlp"]).default("jsonl"))
    .option("--follow", "go on with what comes, until Ctrl-C")
    .option("--cursor-file <file>", "remember here how far it came, and go on there after a restart")
    .option("--from <seq>", "the first record, where there is no cursor yet (0)")
    .option("--without-payload", "with cef and otlp: leave the personal fields out")
    .option("--endpoint <url>", "with otlp: the collector to send to, like http://localhost:4318")
    .option("--header <header...>", "with --endpoint: headers to send, like 'authorization: Bearer …'");
  examples(command, [
    ["stoa audit export > export.jsonl", "a file that `stoa audit verify --file` can verify"],
    ["stoa audit export --format cef --follow --cursor-file siem.cursor | logger", "feed a SIEM"],
    [
      "stoa audit export --format otlp --endpoint http://localhost:4318 --follow --cursor-file otlp.cursor",
      "",
    ],
  ]);
  command.action(async (options: Record<string, unknown> & { from?: string }) => {
    const { parseCount } = await import("../times.ts");
    const { runExport, sinkFor } = await import("../export.ts");
    const { from, ...rest } = options;
    const first =
      from === undefined
        ? {}
        : { from: parseCount("--from", from, { min: 0, max: Number.MAX_SAFE_INTEGER }) };
    const settings = { ...rest, ...first } as unknown as ExportOptions;
    const sink = sinkFor(context, settings);
    await untilInterrupted(async (signal) => {
      try {
        await withAudit(context, command, (access) => runExport(access, sink, context, settings, signal));
      } catch (error) {
        // Ctrl-C is how following ends.
        if (!(settings.follow && signal.aborted)) throw error;
      }
    });
  });
}
