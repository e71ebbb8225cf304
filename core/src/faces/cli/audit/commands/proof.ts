import type { Command } from "commander";
import { exitCodes, StoaError } from "#platform/errors";
import type { CliContext } from "../../context.ts";
import { examples } from "../../examples.ts";
import { ExitWith } from "../../exit.ts";
import type { AuditAccess } from "../access.ts";
import { subcommand, trustedKeys, withAudit } from "../subcommand.ts";

export function proof(audit: Command, context: CliContext): void {
  const command = subcommand(
    audit,
    "proof [record]",
    "print a proof that a record is in the ledger, or check one",
  )
    .option("--continues <checkpoint>", "prove instead that the ledger continues this checkpoint")
    .option("--without-payload", "leave the personal fields out; the proof holds without them")
    .option("--check <file>", "check a proof, offline; - reads it from standard input")
    .option("--key <pem>", "with --check: the public key to trust (this home's, or else the proof's own)");
  examples(command, [
    ["stoa audit proof 0190a5c0-… > proof.json", "prove a record, by its id"],
    [
      "stoa audit proof --continues 120000 > proof.json",
      "prove that nothing before that checkpoint changed since",
    ],
    ["stoa audit proof --check proof.json --key ledger.pem", "check it, as whoever received it would"],
  ]);
  command.action(async (id: string | undefined, options: ProofOptions) => {
    const { check, key, continues } = options;
    if ([id, check, continues].filter((one) => one !== undefined).length !== 1) {
      throw new StoaError(
        "USAGE",
        "Name the record to prove, a checkpoint with --continues, or a file with --check.",
      );
    }
    if (check !== undefined) return checkFile(check, key);
    const proven = await withAudit(context, command, await proverOf(id, options));
    context.out.result(proven, () => context.out.line(JSON.stringify(proven, null, 2)));
  });

  async function checkFile(check: string, key: string | undefined): Promise<void> {
    const { readJson } = await import("../read-json.ts");
    const { checkProof } = await import("#domain/ledger");
    const input = await readJson(check, context.io);
    const verdict = checkProof(input, await trustedKeys(context, command, key));
    context.out.result(verdict, () => {
      const { out } = context;
      if (verdict.ok)
        out.line(`${out.style("green", "✓")} ${verdict.shows}, signed with key ${verdict.keyId}.`);
      for (const problem of verdict.problems) out.line(`${out.style("red", "✗")} ${problem}`);
      if (!verdict.pinned)
        out.warn(
          "Only the proof itself vouches for that key: name one that you got another way, with --key.",
        );
    });
    if (!verdict.ok) throw new ExitWith(exitCodes.failure);
  }
}

interface ProofOptions {
  readonly withoutPayload?: boolean;
  readonly check?: string;
  readonly key?: string;
  readonly continues?: string;
}

async function proverOf(id: string | undefined, { withoutPayload, continues }: ProofOptions) {
  if (id !== undefined) return (access: AuditAccess): Promise<object> => access.prove(id, { withoutPayload });
  const { parseCount } = await import("../times.ts");
  const from = parseCount("--continues", continues ?? "", { min: 1, max: Number.MAX_SAFE_INTEGER });
  return (access: AuditAccess): Promise<object> => access.proveContinuation(from);
}
