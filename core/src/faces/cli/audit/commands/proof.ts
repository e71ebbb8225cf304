import type { Command } from "commander";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext } from "../../context.ts";
import { examples } from "../../examples.ts";
import { ExitWith } from "../../exit.ts";
import { subcommand, trustedKeys, withAudit } from "../subcommand.ts";

export function proof(audit: Command, context: CliContext): void {
  const command = subcommand(
    audit,
    "proof [record]",
    "print a proof that a record is in the ledger, or check one",
  )
    .option("--without-payload", "leave the personal fields out; the proof holds without them")
    .option("--check <file>", "check a proof, offline; - reads it from standard input")
    .option("--key <pem>", "with --check: the public key to trust (this home's, or else the proof's own)");
  examples(command, [
    ["stoa audit proof 0190a5c0-… > proof.json", "prove a record, by its id"],
    ["stoa audit proof --check proof.json --key ledger.pem", "check it, as whoever received it would"],
  ]);
  command.action(
    async (id: string | undefined, options: { withoutPayload?: boolean; check?: string; key?: string }) => {
      const { check, key, withoutPayload } = options;
      if ((id === undefined) === (check === undefined)) {
        throw new StoaError("USAGE", "Name the record to prove, or a file to check with --check.");
      }
      if (id !== undefined) {
        const proven = await withAudit(context, command, (access) => access.prove(id, { withoutPayload }));
        context.out.result(proven, () => context.out.line(JSON.stringify(proven, null, 2)));
        return;
      }
      const { readJson } = await import("../read-json.ts");
      const { checkProof } = await import("#domain/ledger");
      const input = await readJson(check ?? "-", context.io);
      const verdict = checkProof(input, await trustedKeys(context, command, key));
      context.out.result(verdict, () => {
        const { out } = context;
        if (verdict.ok)
          out.line(
            `${out.style("green", "✓")} The record is in the ledger, signed with key ${verdict.keyId}.`,
          );
        for (const problem of verdict.problems) out.line(`${out.style("red", "✗")} ${problem}`);
        if (!verdict.pinned)
          out.warn(
            "Only the proof itself vouches for that key: name one that you got another way, with --key.",
          );
      });
      if (!verdict.ok) throw new ExitWith(exitCodes.failure);
    },
  );
}
