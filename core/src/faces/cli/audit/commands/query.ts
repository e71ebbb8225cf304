import type { Command } from "commander";
import type { LedgerEntry } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import type { CliContext } from "../../context.ts";
import { count } from "../../count.ts";
import { examples } from "../../examples.ts";
import { subcommand, withAudit } from "../subcommand.ts";

export function query(audit: Command, context: CliContext): void {
  const command = subcommand(audit, "query", "find records, newest first")
    .option("--kind <kind>", "only records of this kind, such as invocation")
    .option("--since <time>", "from this time on: 2h ago, or a date like 2027-01-31T12:00:00Z")
    .option("--until <time>", "before this time")
    .option(
      "--agent <id>",
      "only records of this agent: it called, its schema was broken, it registered or was paid",
    )
    .option("--correlation <id>", "the records of one call; a nested call has an id of its own")
    .option("--limit <n>", "how many at most (100, up to 1000)")
    .option("--cursor <cursor>", "go on where the page before ended");
  examples(command, [
    ["stoa audit query --kind capability_schema_violation --since 24h", "what broke its schema today"],
    ["stoa audit query --correlation 0190a5c0-… --json", "the records of one call"],
  ]);
  command.action(async (options: Record<string, string | undefined>) => {
    const { parseTime, parseCount, stamp } = await import("../times.ts");
    const now = Date.now();
    const { kind, since, until, agent, correlation, limit, cursor } = options;
    if (kind !== undefined) await assertKind(kind);
    const wanted = {
      ...(kind === undefined ? {} : { kind }),
      ...(since === undefined ? {} : { since: parseTime("--since", since, now) }),
      ...(until === undefined ? {} : { until: parseTime("--until", until, now) }),
      ...(agent === undefined ? {} : { agent }),
      ...(correlation === undefined ? {} : { correlation }),
      ...(limit === undefined ? {} : { limit: parseCount("--limit", limit, { min: 1, max: 1_000 }) }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await withAudit(context, command, (access) => access.query(wanted));
    const { out } = context;
    out.result(page, () => {
      if (page.entries.length === 0) out.line("No record matches.");
      else
        out.table(
          ["TIME", "SEQ", "KIND", "CORRELATION", "WHAT", "ID"],
          page.entries.map((entry) => [
            stamp(Number(entry.record.ts)),
            entry.seq === null ? "waiting" : String(entry.seq),
            entry.record.kind,
            entry.record.correlationId ?? "",
            gist(entry),
            entry.id,
          ]),
        );
      if (page.next !== undefined) out.note(`More with --cursor ${page.next}`);
    });
  });
}

async function assertKind(kind: string): Promise<void> {
  const { isRecordKind, recordKinds } = await import("#domain/ledger");
  if (isRecordKind(kind)) return;
  const { closest } = await import("#platform/config");
  const near = closest(kind, recordKinds);
  const hint = near === undefined ? "." : `; did you mean ${near}?`;
  throw new StoaError(
    "USAGE",
    `--kind must be one of ${recordKinds.join(", ")}, not ${JSON.stringify(kind)}${hint}`,
  );
}

/** The one thing about a record that a person looks for first. */
function gist({ record, erasedBy }: LedgerEntry): string {
  const erased = erasedBy === undefined ? "" : " (erased)";
  switch (record.kind) {
    case "capability_schema_violation": {
      const violations = record.violations as readonly unknown[] | undefined;
      const many = violations === undefined ? "" : `, ${count(violations.length, "violation")}`;
      return `${record.capabilityName} of ${record.peerId}: ${record.side}${many}${erased}`;
    }
    case "invocation":
      return `${record.callerId} → ${record.capability}: ${record.outcome}${erased}`;
    case "policy_decision":
      return `${record.callerId} → ${record.capability}: ${record.decision}${erased}`;
    case "approval":
      return `${record.capability}: ${record.decision}${erased}`;
    case "credential_use":
      return `${record.credential} for ${record.capability}${erased}`;
    case "registration":
      return `${record.agentId}: ${record.action}${erased}`;
    case "sign_in":
      return `${record.method} on ${record.face}: ${record.outcome}${erased}`;
    case "payment":
      return `${record.agentId}: ${record.action} ${record.amount}${erased}`;
    case "configuration_change":
      return `${record.target}: ${record.action}${erased}`;
    case "erasure":
      return `${count(record.erased.length, "record")}, by ${record.by}: ${record.reason}`;
  }
}
