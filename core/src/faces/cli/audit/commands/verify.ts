import { resolve } from "node:path";
import type { Command } from "commander";
import type { VerifyReport } from "#domain/ledger";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext } from "../../context.ts";
import { count } from "../../count.ts";
import { examples } from "../../examples.ts";
import { ExitWith } from "../../exit.ts";
import { subcommand, trustedKeys, untilInterrupted, withAudit } from "../subcommand.ts";

export function verify(audit: Command, context: CliContext): void {
  const command = subcommand(
    audit,
    "verify",
    "check that nothing in the ledger was changed, added or taken away",
  )
    .option("--from <checkpoint>", "take what this checkpoint covers on its word, and start there")
    .option("--file <export>", "verify an exported file; needs neither core nor database")
    .option("--key <pem>", "with --file: the public key to trust (this home's, or else the file's own)");
  examples(command, [
    ["stoa audit verify", "the ledger of the workspace `default`"],
    ["stoa audit verify --from 120000", "only what came after a checkpoint"],
    ["stoa audit verify --file export.jsonl --key ledger.pem", "offline, as an auditor would"],
  ]);
  command.action(async ({ from, file, key }: { from?: string; file?: string; key?: string }) => {
    if (key !== undefined && file === undefined) throw new StoaError("USAGE", "--key goes with --file.");
    if (from !== undefined && file !== undefined)
      throw new StoaError("USAGE", "--from does not go with --file.");
    const { parseCount } = await import("../times.ts");
    const { ProgressBar } = await import("../progress-bar.ts");
    const start =
      from === undefined ? undefined : parseCount("--from", from, { min: 1, max: Number.MAX_SAFE_INTEGER });
    const bar = new ProgressBar(context.io, "verifying", context.out.isJson);
    const report = await untilInterrupted(async (signal) => {
      const onProgress = bar.show.bind(bar);
      try {
        if (file === undefined) {
          return await withAudit(context, command, (access) =>
            access.verify({ from: start, onProgress, signal }),
          );
        }
        const { verifyFile } = await import("#domain/ledger");
        return await verifyFile({
          path: resolve(context.io.cwd, file),
          trusted: await trustedKeys(context, command, key),
          onProgress,
          signal,
        });
      } finally {
        bar.clear();
      }
    });
    context.out.result(report, () => showReport(report, context));
    if (!report.ok) throw new ExitWith(exitCodes.failure);
  });
}

function showReport(report: VerifyReport, { out }: CliContext): void {
  const {
    ok,
    workspace,
    from,
    size,
    erased,
    waiting,
    checkpoints: held,
    outside,
    problems,
    problemCount,
  } = report;
  const mark = ok ? out.style("green", "✓") : out.style("red", "✗");
  const what = `${count(size - from, "record")} of workspace ${workspace}`;
  out.line(`${mark} ${what} ${ok ? "verified" : `checked: ${count(problemCount, "problem")}`}`);
  out.line(`  root        ${report.root}`);
  out.line(`  checkpoints ${held} held${outside > 0 ? `, and ${outside} outside the database` : ""}`);
  if (erased > 0) out.line(`  erased      ${count(erased, "record")}, each by an erasure on record`);
  if (waiting > 0) out.line(`  waiting     ${count(waiting, "record")} without a place yet`);
  for (const problem of problems)
    out.line(`  ${out.style("red", problem.code.padEnd(26))} ${problem.message}`);
  if (problemCount > problems.length) out.line(`  … and ${problemCount - problems.length} more`);
  for (const note of report.notes) out.line(`  note: ${note}`);
}
