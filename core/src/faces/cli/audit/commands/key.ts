import type { Command } from "commander";
import type { CliContext } from "../../context.ts";
import { examples } from "../../examples.ts";
import { subcommand, withAudit } from "../subcommand.ts";

export function key(audit: Command, context: CliContext): void {
  const command = subcommand(audit, "key", "print the public key that checkpoints are verified with");
  examples(command, [["stoa audit key > ledger.pem", "give this to whoever verifies"]]);
  command.action(async () => {
    const keys = await withAudit(context, command, (access) => access.publicKeys());
    context.out.result({ keys }, () => context.out.write(keys.map(({ pem }) => pem).join("")));
  });
}
