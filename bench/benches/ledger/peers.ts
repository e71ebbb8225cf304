import { hash } from "node:crypto";
import { CompiledQuery, sql } from "kysely";
import type { LedgerRecord } from "../../../core/src/domain/ledger/index.ts";
import type { Store } from "../../../core/src/platform/store/index.ts";

type Invocation = Extract<LedgerRecord, { kind: "invocation" }>;

export function invocation(tenantId: string, n: number): Invocation {
  return {
    kind: "invocation",
    tenantId,
    ts: 1_800_000_000_000 + n,
    invocationId: `0190a5c0-7a3e-7c1e-9f0b-${n.toString(16).padStart(12, "0")}`,
    capability: "review-pr",
    callerId: "agent://manager",
    calleeId: "agent://pr-reviewer",
    outcome: "ok",
    durationMs: 12,
    correlationId: `0190a5c0-7a3e-7c1e-9f0c-${n.toString(16).padStart(12, "0")}`,
    sessionId: "session-1",
    userId: `user-${n % 100}`,
    args: { prUrl: `https://example.com/pulls/${n}`, severity: "high", labels: ["audit", "ledger"] },
    result: { verdict: "approve", summary: "Reads well, and the tests cover what changed." },
  };
}

/** Rows of the same columns and lengths as a ledger record's, in a table with nothing but its key. */
export async function bareInserts(store: Store): Promise<(n: number) => Promise<void>> {
  await sql`create table bench_bare (id text primary key, workspace text not null, kind text not null,
    ts integer not null, agent text, correlation text, meta text not null, subject text, payload text, salt text,
    digest text, leaf text not null)`.execute(store.db);
  const marks = Array.from({ length: 12 }, () => "?").join(", ");
  const statement = `insert into bench_bare values (${marks})`;
  return (n) => {
    const { tenantId, kind, ts, callerId, correlationId, userId, args, result, ...meta } = invocation(
      "append",
      n,
    );
    const payload = JSON.stringify({ args, result, userId });
    const fields = JSON.stringify({ callerId, correlationId, ...meta });
    const id = `0190a5c0-7a3e-7c1e-9f0d-${n.toString(16).padStart(12, "0")}`;
    const row = [
      id,
      tenantId,
      kind,
      ts,
      callerId,
      correlationId,
      fields,
      userId,
      payload,
      salt,
      digest,
      digest,
    ];
    return store.batch([CompiledQuery.raw(statement, row)]);
  };
}

const salt = "0".repeat(32);
const digest = "0".repeat(64);

/** Reads a workspace's rows as the verifier does, a stretch ahead, and hashes the bytes of each. */
export async function hashOfTable(store: Store, workspaceId: string, count: number): Promise<string> {
  const length = 1_024;
  const fetch = (from: number) =>
    store.db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">=", from)
      .where("seq", "<", from + length)
      .orderBy("seq")
      .execute();
  let last = "";
  let next = fetch(0);
  for (let from = 0; from < count; from += length) {
    const rows = await next;
    if (from + length < count) next = fetch(from + length);
    for (const row of rows) {
      last = hash(
        "sha256",
        `${row.id}${row.workspace_id}${row.kind}${row.ts}${row.agent}${row.correlation}${row.meta}${row.subject}${row.payload}${row.salt}${row.digest}${row.leaf}`,
        "hex",
      );
    }
  }
  return last;
}
