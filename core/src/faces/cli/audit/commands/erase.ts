import type { Command } from "commander";
import { StoaError } from "#platform/errors";
import type { CliContext } from "../../context.ts";
import { count } from "../../count.ts";
import { examples } from "../../examples.ts";
import { subcommand, withAudit } from "../subcommand.ts";

export function erase(audit: Command, context: CliContext): void {
  const command = subcommand(
    audit,
    "erase",
    "erase the personal fields of records; the chain stays verifiable",
  )
    .option("--record <id...>", "these records")
    .option("--subject <user>", "every record about this user, and the violations in their calls")
    .requiredOption("--reason <text>", "why; it stays in the ledger, so name no person")
    .option("--yes", "really: it cannot be undone");
  examples(command, [
    ["stoa audit erase --subject user-17 --reason 'request 4711' --yes", "all that is known about a person"],
    ["stoa audit erase --record 0190a5c0-… --reason 'secret in arguments' --yes", "one record"],
  ]);
  command.action(async (options: { record?: string[]; subject?: string; reason: string; yes?: boolean }) => {
    const { record, subject, reason, yes } = options;
    if ((record === undefined) === (subject === undefined)) {
      throw new StoaError(
        "USAGE",
        "Name either the records to erase (--record) or whose to erase (--subject).",
      );
    }
    if (yes !== true)
      throw new StoaError("USAGE", "What is erased cannot be brought back: add --yes if that is meant.");
    const what = record === undefined ? { subject: subject ?? "" } : { records: record };
    const erased = await withAudit(context, command, (access) => access.erase({ ...what, reason }));
    context.out.result(erased, () => {
      const { out } = context;
      out.line(`Erased the personal fields of ${count(erased.records.length, "record")}.`);
      for (const id of erased.erasures) out.line(`  on record as ${id}`);
    });
  });
}
