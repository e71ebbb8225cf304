import type { Command } from "commander";
import type { CliContext } from "../../context.ts";
import { examples } from "../../examples.ts";
import { subcommand, withAudit } from "../subcommand.ts";

export function checkpoints(audit: Command, context: CliContext): void {
  const command = subcommand(audit, "checkpoints", "list signed checkpoints, newest first").option(
    "--limit <n>",
    "how many at most",
    "20",
  );
  examples(command, [["stoa audit checkpoints", "each can be named in `audit verify --from`"]]);
  command.action(async ({ limit }: { limit: string }) => {
    const { parseCount, stamp } = await import("../times.ts");
    const most = parseCount("--limit", limit, { min: 1, max: 1_000 });
    const found = await withAudit(context, command, (access) => access.checkpoints(most));
    context.out.result({ checkpoints: found }, () =>
      context.out.table(
        ["SIZE", "TIME", "KEY", "ROOT"],
        found.map((one) => [String(one.size), stamp(one.ts), one.key, one.root]),
      ),
    );
  });
}
