import { createHash } from "node:crypto";
import { describe, expect, expectTypeOf, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { type CapabilitySchemaViolationAuditRecord, kinds, type LedgerRecord, recordKinds } from "./kinds.ts";
import { leafHash, leafText, payloadDigest, type SealContext, seal } from "./seal.ts";

const context: SealContext = {
  clock: () => 1_800_000_000_000,
  ids: () => "id-1",
  salt: () => "ab".repeat(16),
};

const violation: LedgerRecord = {
  kind: "capability_schema_violation",
  ts: 5,
  tenantId: "w",
  capabilityName: "review-pr",
  peerId: "agent://pr-reviewer",
  side: "request",
  violations: [{ path: "/severity", message: 'value not in enum ["low"]' }],
  correlationId: "c1",
};

test("the violation record is the seed's interface", () => {
  interface Seed {
    kind: "capability_schema_violation";
    ts: number;
    tenantId: string;
    capabilityName: string;
    peerId: string;
    side: "request" | "response";
    violations: Array<{ path: string; message: string }>;
    correlationId: string;
    sessionId?: string | undefined;
  }
  expectTypeOf<CapabilitySchemaViolationAuditRecord>().toEqualTypeOf<Seed>();
  expect(Object.keys(kinds.capability_schema_violation.schema.shape).sort()).toEqual(
    [
      "kind",
      "ts",
      "tenantId",
      "capabilityName",
      "peerId",
      "side",
      "violations",
      "correlationId",
      "sessionId",
    ].sort(),
  );
});

test("every kind says what of it is personal, and what finds it", () => {
  expect(recordKinds).toEqual([
    "capability_schema_violation",
    "invocation",
    "policy_decision",
    "approval",
    "credential_use",
    "registration",
    "sign_in",
    "payment",
    "configuration_change",
    "erasure",
  ]);
  for (const kind of Object.values(kinds)) {
    const fields = Object.keys(kind.fields);
    const roles: { agent?: string; correlation?: string; subject?: string } = kind;
    expect(fields).toEqual(expect.arrayContaining([...kind.personal]));
    for (const name of [roles.agent, roles.correlation]) {
      if (name !== undefined)
        expect(kind.metaFields, `${kind.kind}: what stays must find it`).toContain(name);
    }
    if (roles.subject !== undefined) expect(kind.personalFields).toContain(roles.subject);
  }
});

describe("a sealed record", () => {
  test("has its personal fields apart, and hashes that anyone can compute from RFC 8785 and SHA-256", () => {
    const row = seal(violation, context);
    expect(row).toMatchObject({
      id: "id-1",
      workspace_id: "w",
      kind: "capability_schema_violation",
      ts: 5,
      agent: "agent://pr-reviewer",
      correlation: "c1",
      subject: null,
      salt: "ab".repeat(16),
    });
    expect(row.meta).not.toContain("low");
    const digest = createHash("sha256")
      .update("ab".repeat(16))
      .update(
        canonicalJson({
          data: { violations: [{ path: "/severity", message: 'value not in enum ["low"]' }] },
          subject: null,
        }),
      )
      .digest("hex");
    expect(row.digest).toBe(digest);
    const leaf = {
      v: 1,
      workspace: "w",
      id: "id-1",
      kind: "capability_schema_violation",
      ts: 5,
      agent: "agent://pr-reviewer",
      correlation: "c1",
      meta: {
        capabilityName: "review-pr",
        correlationId: "c1",
        peerId: "agent://pr-reviewer",
        side: "request",
      },
      payload: digest,
    };
    expect(leafText(row)).toBe(canonicalJson(leaf));
    expect(row.leaf).toBe(
      createHash("sha256").update(Buffer.of(0)).update(canonicalJson(leaf)).digest("hex"),
    );
  });

  test("has the ledger's time where it brings none", () => {
    const { ts: _, ...timeless } = violation;
    expect(seal(timeless, context).ts).toBe(1_800_000_000_000);
  });

  test("of a kind without personal fields has no digest", () => {
    const row = seal(
      { kind: "erasure", tenantId: "w", by: "admin", reason: "", erased: [{ id: "x", seq: 0 }] },
      context,
    );
    expect(row).toMatchObject({ payload: null, salt: null, digest: null, subject: null });
    expect(row.leaf).toBe(leafHash(row));
  });

  test("commits to text in any script, to quotes and to control characters", () => {
    const record: LedgerRecord = {
      kind: "invocation",
      tenantId: 'w "quoted" \\ ü 😀',
      invocationId: "i",
      capability: "c",
      callerId: "ағент",
      outcome: "ok",
      durationMs: 0.1,
      correlationId: "c",
      userId: "ü",
      args: { "\u0000": "\u2028\n" },
    };
    const row = seal(record, context);
    expect(JSON.parse(leafText(row))).toMatchObject({
      workspace: record.tenantId,
      agent: "ағент",
      meta: { durationMs: 0.1 },
    });
    expect(leafText(row)).toBe(canonicalJson(JSON.parse(leafText(row))));
    expect(row.digest).toBe(payloadDigest(row.salt ?? "", row.payload ?? "", "ü"));
  });
});

describe("a record that is not well-formed is refused by name", () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ["an unknown kind", { kind: "gossip" }, /"gossip" is no kind/],
    ["a kind that objects inherit", { kind: "toString" }, /is no kind/],
    ["a missing field", { peerId: undefined }, /\/peerId/],
    ["a field too many", { extra: 1 }, /extra/],
    ["a wrong value", { side: "left" }, /\/side/],
    ["a fraction of a millisecond", { ts: 1.5 }, /\/ts/],
    ["an empty id", { correlationId: "" }, /\/correlationId/],
    ["a line break in an id", { correlationId: "a\nb" }, /\/correlationId: .*control/],
    ["an endless id", { tenantId: "x".repeat(513) }, /\/tenantId/],
    ["a lone surrogate", { violations: [{ path: "/", message: "\ud800" }] }, /surrogate/],
  ])("%s", (_name, change, message) => {
    expect(() => seal({ ...violation, ...change } as LedgerRecord, context)).toThrow(message);
  });

  test("one that is too large says what to do", () => {
    const args = "x".repeat(1024 * 1024);
    const record: LedgerRecord = {
      kind: "invocation",
      tenantId: "w",
      invocationId: "i",
      capability: "c",
      callerId: "a",
      outcome: "ok",
      durationMs: 1,
      correlationId: "c",
      args,
    };
    expect(() => seal(record, context)).toThrow(/at most 1048576 fit.*digest/s);
    expect(() => seal({ ...record, args: { when: new Date() } }, context)).toThrow(/at \/args\/when: a Date/);
  });
});
