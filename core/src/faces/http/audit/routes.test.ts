import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Principal, Role } from "#domain/identity";
import {
  createLedger,
  type ExportPage,
  type Ledger,
  type LedgerPage,
  type VerifyReport,
} from "#domain/ledger";
import { createHttpHost, type HttpHost } from "#platform/http";
import { createLogger } from "#platform/log";
import { openStore, type Store } from "#platform/store";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import { auditRoutes } from "./index.ts";

let home: string;
let store: Store;
let ledger: Ledger;
let telemetry: Telemetry;
let host: HttpHost;
let url: string;

/** `Bearer admin@acme` is who it says. */
async function authenticate(authorization: string | undefined): Promise<Principal | undefined> {
  const [, role, workspaceId] = /^Bearer (\w+)@(\w+)$/.exec(authorization ?? "") ?? [];
  if (role === undefined || workspaceId === undefined) return undefined;
  return {
    kind: role === "local" ? "local" : "key",
    role: (role === "local" ? "admin" : role) as Role,
    workspaceId,
    userId: `${role}-1`,
  };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "stoa-audit-"));
  const log = createLogger({ level: "silent", format: "json" });
  store = await openStore({ home }, { log });
  ledger = createLedger({ store, home, log });
  telemetry = createTelemetry();
  host = createHttpHost<Principal>({ log, telemetry, authenticate });
  auditRoutes(host.app, { ledger });
  const { port } = await host.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${port}/api/v1/audit`;
  for (const tenantId of ["acme", "globex"]) {
    for (let n = 0; n < 5; n++) {
      await ledger.record({
        kind: "sign_in",
        ts: 1_000 + n,
        tenantId,
        method: "key",
        outcome: "ok",
        face: "http",
        correlationId: `c${n}`,
        userId: `user-${n}`,
      });
    }
    await ledger.sequence(tenantId);
  }
});
afterAll(async () => {
  await host.close();
  await telemetry.close();
  await store.close();
  await rm(home, { recursive: true, force: true });
});

async function call(who: string, method: string, path: string, body?: unknown, accept = "application/json") {
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: {
      accept,
      authorization: `Bearer ${who}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text,
    json: () => JSON.parse(text),
  };
}

describe("who may do what", () => {
  test.each([
    ["GET", "records", undefined, "member"],
    ["GET", "records/x/proof", undefined, "member"],
    ["POST", "verify", {}, "viewer"],
    ["GET", "export", undefined, "admin"],
    ["POST", "erase", { subject: "nobody", reason: "r" }, "admin"],
    ["GET", "checkpoints", undefined, "viewer"],
    ["GET", "continuation?from=5", undefined, "viewer"],
    ["GET", "keys", undefined, "viewer"],
  ])("%s %s", async (method, path, body, needed) => {
    const order = ["viewer", "member", "admin"];
    for (const role of order) {
      const { status } = await call(`${role}@acme`, method, path, body);
      const allowed = order.indexOf(role) >= order.indexOf(needed);
      expect(status === 403, `${role}: ${status}`).toBe(!allowed);
    }
    expect((await call("nobody", method, path, body)).status).toBe(401);
  });

  test("nobody reaches another workspace, except the operator of this machine", async () => {
    for (const [method, path, body] of [
      ["GET", "records?workspaceId=globex", undefined],
      ["POST", "verify", { workspaceId: "globex" }],
      ["GET", "export?workspaceId=globex", undefined],
      ["POST", "erase", { workspaceId: "globex", subject: "user-1", reason: "r" }],
      ["GET", "checkpoints?workspaceId=globex", undefined],
    ] as const) {
      expect((await call("admin@acme", method, path, body)).status, path).toBe(403);
    }
    const theirs = (
      await call("local@default", "GET", "records?workspaceId=globex&limit=1")
    ).json() as LedgerPage;
    expect(theirs.entries[0]?.workspaceId).toBe("globex");
    const { id } = theirs.entries[0] ?? { id: "" };
    expect((await call("admin@acme", "GET", `records/${id}/proof`)).status).toBe(404);
  });
});

test("records are found, page by page", async () => {
  const page = (
    await call("member@acme", "GET", "records?kind=sign_in&since=1001&until=1004&limit=2")
  ).json() as LedgerPage;
  expect(page.entries.map((entry) => entry.record)).toMatchObject([
    { userId: "user-3" },
    { userId: "user-2" },
  ]);
  const next = (
    await call("member@acme", "GET", `records?since=1001&until=1004&limit=2&cursor=${page.next}`)
  ).json() as LedgerPage;
  expect(next.entries.map((entry) => entry.record)).toMatchObject([{ userId: "user-1" }]);
  expect((await call("member@acme", "GET", "records?correlation=c2")).json().entries).toHaveLength(1);
});

test.each(["kind=gossip", "since=yesterday", "limit=0", "limit=5000", "cursor=!", "what=ever"])(
  "a query with %s is refused as a request",
  async (query) => {
    const { status, json } = await call("member@acme", "GET", `records?${query}`);
    expect(status).toBe(400);
    expect(json().error.code).toBe("INVALID_ARGUMENT");
  },
);

test("verification answers with a report, or with progress and a report", async () => {
  expect((await call("viewer@acme", "POST", "verify", {})).json()).toMatchObject({
    ok: true,
    workspace: "acme",
  });
  const { type, text } = await call("viewer@acme", "POST", "verify", { from: 5 }, "application/x-ndjson");
  expect(type).toContain("application/x-ndjson");
  const last = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { report: VerifyReport };
  expect(last.report).toMatchObject({ ok: true, from: 5 });
  const missing = await call("viewer@acme", "POST", "verify", { from: 3 }, "application/x-ndjson");
  expect(JSON.parse(missing.text)).toMatchObject({ error: { code: "NOT_FOUND" } });
});

test("proof, export, erasure, checkpoints and keys go through", async () => {
  const [entry] = ((await call("member@acme", "GET", "records?correlation=c4")).json() as LedgerPage).entries;
  const proof = (await call("member@acme", "GET", `records/${entry?.id}/proof?withoutPayload=true`)).json();
  expect(proof).toMatchObject({ type: "stoa-ledger-proof", record: { id: entry?.id } });
  expect(proof.record).not.toHaveProperty("payload");
  const erased = (
    await call("admin@acme", "POST", "erase", { records: [entry?.id], reason: "asked" })
  ).json();
  expect(erased.records).toEqual([{ id: entry?.id, seq: entry?.seq }]);
  const page = (await call("admin@acme", "GET", "export?from=4&limit=3")).json() as ExportPage;
  expect(page.lines.map((line) => line.type)).toContain("checkpoint");
  const erasure = page.lines.findLast((line) => line.type === "record");
  expect(erasure).toMatchObject({ kind: "erasure", meta: { by: "admin-1", reason: "asked" } });
  expect((await call("viewer@acme", "GET", "checkpoints?limit=1")).json().checkpoints).toHaveLength(1);
  expect((await call("viewer@acme", "GET", "keys")).json().keys[0].pem).toContain("BEGIN PUBLIC KEY");
  expect((await call("admin@acme", "GET", "export?from=999")).status).toBe(400);
  expect((await call("admin@acme", "POST", "erase", { reason: "r" })).status).toBe(400);
  expect((await call("admin@acme", "POST", "erase", { records: ["nothing"], reason: "r" })).status).toBe(404);
});
