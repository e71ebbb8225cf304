import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf } from "#domain/agents";
import { createLedger } from "#domain/ledger";
import { openBus } from "#platform/bus";
import { loadConfig } from "#platform/config";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { onBothDatabases } from "../../../../test/databases.ts";
import { Closing } from "../../assembly/closing.ts";
import { buildDomain, type Domain } from "../../assembly/domain.ts";
import { loadConfiguredFleet } from "../../assembly/fleet.ts";
import { type InvocationCall, invoke, toRequestAgentResult } from "./index.ts";

const fleetFolder = fileURLToPath(new URL("../../../../test/fixtures/fleet", import.meta.url));
const never = new AbortController().signal;

onBothDatabases("every call", (store) => {
  let domain: Domain;
  let home: string;
  const closing = new Closing();
  const log = createLogger({ level: "silent", format: "json" });

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "stoa-invoke-"));
    const loaded = loadConfig({ cwd: home, env: { STOA_HOME: home, STOA_FLEET: fleetFolder } });
    const fleet = await loadConfiguredFleet(loaded.config, log);
    const memoryBus = await openBus({}, { log });
    closing.add("bus", () => memoryBus.close());
    const platform = {
      config: loaded.config,
      log,
      telemetry: createTelemetry(),
      home: { home, publish() {}, release() {} },
      store: store(),
      bus: memoryBus,
      memoryBus,
      clock: Date.now,
    };
    const nowhere = { open: async () => ({ url: "" }), close: async () => {} };
    const ledger = createLedger({ store: store(), home, log });
    closing.add("ledger", () => ledger.close());
    domain = await buildDomain(platform, ledger, fleet, nowhere, closing);
    await domain.start();
  });

  afterAll(async () => {
    await closing.run(log);
    await rm(home, { recursive: true, force: true });
  });

  function call(target: string, args: unknown = {}, more: Partial<InvocationCall> = {}) {
    const agent = domain.directory.native("caller");
    if (agent === undefined) throw new Error("the fixture fleet has no agent caller");
    const caller = callerOf(agent, { workspaceId: "w", userId: "u", sessionId: "s" }, domain);
    return invoke(
      { caller, target, args, correlationId: randomUUID(), hops: 0, signal: never, ...more },
      domain.invoke,
    );
  }
  const records = async (correlation: string) =>
    (await domain.ledger.query({ workspaceId: "w", correlation })).entries.map(({ record }) => record);

  test("runs an allowed tool, without the approval text, and records it", async () => {
    const outcome = await call("probe__add", { a: 1, b: 2, _approval_message: "may I?" });
    expect(outcome).toMatchObject({ status: "ok", result: { sum: 3 } });
    expect(await records(outcome.correlationId)).toMatchObject([
      {
        kind: "invocation",
        outcome: "ok",
        capability: "probe__add",
        callerId: "caller",
        calleeId: "capability://probe",
        userId: "u",
      },
    ]);
  });

  test("arguments that break the schema do not reach the tool", async () => {
    const outcome = await call("probe__add", { a: "one", c: 3 });
    expect(outcome).toMatchObject({
      status: "schema-violation",
      side: "request",
      error: { code: "SCHEMA_VIOLATION" },
    });
    expect(outcome.status === "schema-violation" && outcome.violations.map(({ path }) => path)).toEqual([
      "/a",
      "/c",
    ]);
  });

  test.each([
    ["probe__asks", "ask", "manifest"],
    ["probe__silent", "block", "manifest"],
    ["probe__blocked_by_agent", "block", "agent"],
  ])("only an explicit allow runs: %s does not", async (target, policy, decidedBy) => {
    const outcome = await call(target);
    expect(outcome).toMatchObject({
      status: "error",
      error: { code: "POLICY_BLOCKED", details: { policy, decidedBy } },
    });
    const kinds = (await records(outcome.correlationId)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["invocation", "policy_decision"]);
  });

  test.each([
    ["probe__throws", "no disk left"],
    ["probe__hides_error", "quota exceeded"],
  ])("a failure is flagged as one: %s", async (target, message) => {
    const outcome = await call(target);
    expect(outcome).toMatchObject({
      status: "error",
      error: { code: "TOOL_FAILED", message: expect.stringContaining(message) },
    });
  });

  test("what does not exist and what is not allowed are told apart", async () => {
    expect(await call("probe__nope")).toMatchObject({ error: { code: "NOT_FOUND" } });
    const nobody = {
      workspaceId: "w",
      userId: "u",
      agentId: "nobody",
      sessionId: "s",
      mayUse: () => false,
      policies: new Map(),
    };
    expect(await call("probe__add", {}, { caller: nobody })).toMatchObject({
      error: { code: "PERMISSION_DENIED" },
    });
  });

  test("parallel first calls after a crash start one server between them", async () => {
    expect(await call("probe__crash")).toMatchObject({ status: "error" });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => call("probe__pid")));
    const pids = new Set(
      outcomes.map((outcome) => outcome.status === "ok" && (outcome.result as { pid: number }).pid),
    );
    expect(pids.size).toBe(1);
    expect(pids).not.toContain(false);
  });

  test("the tool sees none of the core's environment", async () => {
    process.env.STOA_TEST_SECRET = "x";
    await call("probe__crash");
    const outcome = await call("probe__environment");
    delete process.env.STOA_TEST_SECRET;
    expect(outcome.status === "ok" && (outcome.result as string[]).sort()).toEqual([
      "PATH",
      "SELU_CAPABILITY_ID",
      "SELU_SESSION_ID",
      "STOA_LISTEN",
    ]);
  });

  test("a cancel reaches the tool", async () => {
    const cancel = new AbortController();
    const waiting = call("probe__wait", {}, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    expect(await waiting).toMatchObject({ status: "error", error: { code: "CANCELLED" } });
  });

  test("a typed call is checked, carried over the memory transport, and answered by the callee's tool", async () => {
    const outcome = await call("request_agent__callee__add", { a: 20, b: 22 });
    expect(toRequestAgentResult(outcome)).toMatchObject({ status: "ok", response: { sum: 42 } });
    expect(await records(outcome.correlationId)).toMatchObject([
      { kind: "invocation", calleeId: "agent://callee" },
    ]);
  });

  test("a request that breaks the schema is the seed's violation and the seed's record", async () => {
    const outcome = await call("request_agent__callee__add", { a: 1 });
    expect(toRequestAgentResult(outcome)).toMatchObject({
      status: "schema-violation",
      schemaSide: "request",
      violations: [{ path: "/b", message: 'missing required property "b"' }],
      error: { code: "EAGENTRPC_SCHEMA_VIOLATION" },
    });
    const found = await records(outcome.correlationId);
    expect(found.find(({ kind }) => kind === "capability_schema_violation")).toEqual({
      kind: "capability_schema_violation",
      ts: expect.any(Number),
      tenantId: "w",
      capabilityName: "add",
      peerId: "agent://callee",
      side: "request",
      violations: [{ path: "/b", message: 'missing required property "b"' }],
      correlationId: outcome.correlationId,
      sessionId: "s",
    });
  });

  test("a response that breaks the schema keeps the raw response", async () => {
    const result = toRequestAgentResult(await call("request_agent__callee__lie", { a: 1, b: 2 }));
    expect(result).toMatchObject({
      status: "schema-violation",
      schemaSide: "response",
      response: { sum: 3 },
    });
  });

  test("a call that takes too long is a timeout", async () => {
    const result = toRequestAgentResult(await call("request_agent__callee__slow"));
    expect(result).toMatchObject({ status: "timeout", error: { code: "EAGENTRPC_TIMEOUT" } });
  });

  test("a cancel reaches the tool behind a typed call", async () => {
    const counts = async () => {
      const outcome = await call("probe__cancelled");
      return outcome.status === "ok" ? (outcome.result as { waiting: number; count: number }) : undefined;
    };
    const before = await counts();
    const cancel = new AbortController();
    const waiting = call("request_agent__callee__patient", {}, { signal: cancel.signal });
    await expect
      .poll(async () => (await counts())?.waiting, { timeout: 20_000 })
      .toBe((before?.waiting ?? 0) + 1);
    cancel.abort();
    expect(toRequestAgentResult(await waiting)).toMatchObject({
      status: "abandoned",
      error: { code: "EAGENTRPC_ABANDONED" },
    });
    await expect
      .poll(async () => (await counts())?.count, { timeout: 20_000 })
      .toBe((before?.count ?? 0) + 1);
  });

  test.each([
    ["request_agent__nobody__x", "EAGENTRPC_NO_PEER"],
    ["request_agent__callee__nope", "EAGENTRPC_NO_CAPABILITY"],
  ])("%s: what is missing is said in the contract's words, and recorded", async (target, code) => {
    const outcome = await call(target);
    expect(toRequestAgentResult(outcome)).toMatchObject({ status: "error", error: { code } });
    expect(await records(outcome.correlationId)).toHaveLength(1);
  });

  test.each([
    ["a result nested too deeply", "probe__nested", {}],
    ["an error with half a character", "probe__half", {}],
    ["arguments with an endless name", "probe__add", { [`k${"x".repeat(20_000)}`]: 1 }],
    ["a name that is none", "", {}],
  ])("nothing a caller or callee says keeps a call out of the ledger: %s", async (_what, target, args) => {
    const outcome = await call(target, args);
    expect(await records(outcome.correlationId)).not.toHaveLength(0);
  });

  test("a result too large for one event is the tool's failure", async () => {
    expect(await call("probe__large")).toMatchObject({
      error: { code: "TOOL_FAILED", message: expect.stringContaining("at most") },
    });
  });

  test("an answer that is no JSON is the handler's error", async () => {
    const result = toRequestAgentResult(await call("request_agent__callee__unschooled", { x: 1 }));
    expect(result).toMatchObject({ status: "error", error: { code: "EAGENTRPC_HANDLER_ERROR" } });
  });

  test("agents cannot call each other for ever", async () => {
    const result = toRequestAgentResult(
      await call("request_agent__callee__add", { a: 1, b: 2 }, { hops: 8 }),
    );
    expect(result).toMatchObject({ status: "error", error: { code: "EAGENTRPC_HOP_LIMIT" } });
  });

  test("what the caller keeps is written with the record or not at all", async () => {
    const broken = store()
      .db.insertInto("turn_steps")
      .values({ turn_id: "no such turn", seq: 1, kind: "x", data_json: "", created_at: 0 })
      .compile();
    const failing = call(
      "probe__add",
      { a: 1, b: 2 },
      { alongside: () => [broken], correlationId: "all-or-nothing" },
    );
    await expect(failing).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await records("all-or-nothing")).toEqual([]);
  });
});
