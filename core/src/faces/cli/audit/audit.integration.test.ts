import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Principal } from "#domain/identity";
import { createLedger, type Ledger, type LedgerRecord } from "#domain/ledger";
import { auditRoutes } from "#faces/http/audit";
import { createHttpHost, type HttpHost } from "#platform/http";
import { createLogger } from "#platform/log";
import { openStore, type Store } from "#platform/store";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import { runMain } from "../testing/run-main.ts";

const log = createLogger({ level: "silent", format: "json" });
const bin = fileURLToPath(new URL("../../../../bin/stoa.js", import.meta.url));

let home: string;
let store: Store;
let ledger: Ledger;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "stoa-audit-cli-"));
  store = await openStore({ home }, { log });
  ledger = createLedger({ store, home, log });
});
afterEach(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

function signIn(n: number): LedgerRecord {
  return {
    kind: "sign_in",
    tenantId: "default",
    ts: 1_800_000_000_000 + n,
    method: "key",
    outcome: "ok",
    face: "http",
    userId: `user-${n % 3}`,
    correlationId: `c${n}`,
  };
}
async function write(from: number, to: number): Promise<void> {
  await store.batch(Array.from({ length: to - from }, (_, i) => ledger.statement(signIn(from + i)).query));
  await ledger.sequence("default");
}
const command = (line: string, env: Record<string, string> = {}, terminal = false) =>
  runMain(["audit", ...line.split(" ")], { cwd: home, env: { STOA_HOME: home, ...env }, terminal });

/** The commands as they work on a store, and as they work through a core. */
async function walkThrough(stoa: typeof command): Promise<void> {
  const found = await stoa("query --kind sign_in --correlation c7 --limit 5");
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(found.stdout).toMatch(/TIME .*\n2027-01-15 08:00:00.007 +7 +sign_in +c7 +key on http: ok +\S+\n$/);
  const page = JSON.parse(
    (await stoa("query --json --since 2027-01-01 --until 2028-01-01 --limit 2")).stdout,
  );
  expect(page.entries).toHaveLength(2);
  expect((await stoa(`query --limit 2 --cursor ${page.next}`)).stdout).toContain("c37");
  expect((await stoa("query --agent nobody")).stdout).toBe("No record matches.\n");

  expect(await stoa("verify")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ 40 records of workspace default verified"),
  });
  expect(JSON.parse((await stoa("verify --from 40 --json")).stdout)).toMatchObject({
    ok: true,
    from: 40,
    size: 40,
  });
  expect(await stoa("verify --from 39")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no checkpoint at 39"),
  });

  const { id } = page.entries[0];
  await writeFile(join(home, "proof.json"), (await stoa(`proof ${id} --json`)).stdout);
  await writeFile(join(home, "ledger.pem"), (await stoa("key")).stdout);
  const checked = await stoa("proof --check proof.json --key ledger.pem");
  expect(checked).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/✓ Record \S+ is in the ledger, at 39 of 40, signed/),
  });
  await writeFile(
    join(home, "forged.json"),
    (await readFile(join(home, "proof.json"), "utf8")).replace("sign_in", "payment"),
  );
  expect(await stoa("proof --check forged.json")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✗"),
  });
  expect((await stoa(`proof ${id} --without-payload`)).stdout).not.toContain("user-");

  await writeFile(join(home, "export.jsonl"), (await stoa("export --cursor-file cursor")).stdout);
  expect(await stoa("verify --file export.jsonl --key ledger.pem")).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(join(home, "cursor"), "utf8"))).toEqual({
    v: 1,
    workspace: "default",
    next: 40,
  });
  expect((await stoa("export --cursor-file cursor")).stdout).toBe("");
  expect((await stoa("export --format cef --from 39")).stdout).toMatch(
    /^CEF:0\|Stoa\|core\|[^\n]*suser=user-0[^\n]*\n$/,
  );
  expect((await stoa("export --format cef --from 39 --without-payload")).stdout).not.toContain("user-0");
  expect(
    JSON.parse((await stoa("export --format otlp")).stdout).resourceLogs[0].scopeLogs[0].logRecords,
  ).toHaveLength(40);

  const erased = JSON.parse((await stoa("erase --subject user-1 --reason request-4711 --yes --json")).stdout);
  expect(erased.records).toHaveLength(13);
  expect((await stoa("query --kind erasure")).stdout).toMatch(/13 records, by .*: request-4711/);
  expect(await stoa("verify")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("erased      13 records"),
  });
  await writeFile(join(home, "continuation.json"), (await stoa("proof --continues 40")).stdout);
  expect(await stoa("proof --check continuation.json --key ledger.pem")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ The ledger of 41 records begins with the one of 40"),
  });
  expect((await stoa("proof --continues 39")).stderr).toContain("no checkpoint at 39");
  expect((await stoa("checkpoints")).stdout.split("\n")).toHaveLength(4);
}

describe("what makes no sense", () => {
  test.each([
    ["query --since soon", /--since: expected a time/],
    ["query --limit many", /--limit: expected a whole number/],
    ["verify --key x", /--key goes with --file/],
    ["verify --file x --from 3", /--from does not go with --file/],
    ["proof", /Name the record to prove/],
    ["proof a --check b", /Name the record to prove/],
    ["export --endpoint http://localhost --format cef", /--endpoint goes with/],
    ["export --without-payload", /goes with cef and otlp/],
    ["export --format otlp --endpoint ftp://x", /--endpoint: expected an address/],
    ["export --format otlp --endpoint http://x --header broken", /--header: expected/],
    ["erase --reason r", /either the records to erase/],
    ["erase --subject x --reason r", /add --yes/],
  ])("stoa audit %s is a usage error", async (line, message) => {
    const { code, stderr } = await command(line);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

describe("without a core", () => {
  // The command opens the store itself, so nobody else may have it open meanwhile.
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    await store.close();
    try {
      return await work();
    } finally {
      store = await openStore({ home }, { log });
      ledger = createLedger({ store, home, log });
    }
  }

  test("every command works on the store", async () => {
    await write(0, 40);
    await alone(() => walkThrough(command));
  });

  test("one is one, and what is erased is not counted", async () => {
    await ledger.record({ ...signIn(1), correlationId: "c1" });
    await ledger.record({
      kind: "capability_schema_violation",
      tenantId: "default",
      capabilityName: "find-book",
      peerId: "agent://librarian",
      side: "request",
      violations: [{ path: "/title", message: "expected a string" }],
      correlationId: "c1",
    });
    await ledger.sequence("default");
    const query = () => alone(() => command("query --agent librarian"));
    expect((await query()).stdout).toMatch(/find-book of agent:\/\/librarian: request, 1 violation +\S+\n$/);
    await alone(() => command("erase --subject user-1 --reason left --yes"));
    expect((await query()).stdout).toMatch(/find-book of agent:\/\/librarian: request \(erased\) +\S+\n$/);
  });

  test.each([
    ["invocatoin", 'payment, configuration_change, erasure, not "invocatoin"; did you mean invocation?'],
    ["%%%", 'erasure, not "%%%".'],
  ])("a kind that does not exist, %s, is a usage error that lists those that do", async (kind, message) => {
    const { code, stderr } = await alone(() => command(`query --kind ${kind}`));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain("USAGE");
  });

  test("tampering ends with exit code 1, and is said", async () => {
    await write(0, 40);
    await store.db.updateTable("ledger_records").set({ ts: 5 }).where("seq", "=", 17).execute();
    const { code, stdout } = await alone(() => command("verify"));
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /✗ 40 records of workspace default checked: 1 problem\n[\s\S]*record_changed +Record \S+ at 17 was changed/,
    );
    await store.db.deleteFrom("ledger_records").where("seq", "=", 17).execute();
    expect(await alone(() => command("export"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("record at 17 of workspace default is missing"),
    });
  });

  test("on a terminal the verification of a file shows a bar and takes it away again", async () => {
    await write(0, 2_000);
    await alone(async () => writeFile(join(home, "export.jsonl"), (await command("export")).stdout));
    const { stderr, code } = await command("verify --file export.jsonl", {}, true);
    expect(code).toBe(0);
    expect(stderr).toMatch(/verifying █+░* \d+ % {2}\d+\.\d of \d+\.\d MB/);
    expect(stderr.endsWith("\r\u001b[K")).toBe(true);
    expect((await command("verify --file export.jsonl --json", {}, true)).stderr).toBe("");
  });

  test.each([
    ["nonsense", /holds no cursor/],
    ['{"v":1,"workspace":"other","next":0}', /belongs to the workspace "other"/],
    ['{"v":1,"workspace":"default","next":99}', /goes on at 10/],
  ])("a cursor file with %s is refused", async (content, message) => {
    await write(0, 10);
    await writeFile(join(home, "cursor"), content);
    const { code, stderr } = await alone(() => command("export --cursor-file cursor"));
    expect(stderr).toMatch(message);
    expect(code).not.toBe(0);
  });
});

describe("with a core", () => {
  let host: HttpHost;
  let telemetry: Telemetry;
  let env: Record<string, string>;
  beforeEach(async () => {
    telemetry = createTelemetry();
    const principal: Principal = { kind: "key", role: "admin", workspaceId: "default", userId: "ada" };
    host = createHttpHost<Principal>({
      log,
      telemetry,
      authenticate: async (header) => (header === "Bearer secret" ? principal : undefined),
    });
    auditRoutes(host.app, { ledger });
    const { port } = await host.listen({ host: "127.0.0.1", port: 0 });
    env = { STOA_URL: `http://127.0.0.1:${port}`, STOA_API_KEY: "secret" };
  });
  afterEach(async () => {
    await host.close();
    await telemetry.close();
  });
  const through: typeof command = (line, more, terminal) => command(line, { ...env, ...more }, terminal);

  test("every command works through it", async () => {
    await write(0, 40);
    await walkThrough(through);
    const { entries } = await ledger.query({ workspaceId: "default", kind: "erasure" });
    expect(entries[0]?.record).toMatchObject({ by: "ada" });
  });

  test("a refusal arrives as it is", async () => {
    expect(await through("verify", { STOA_API_KEY: "wrong" })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("UNAUTHENTICATED"),
    });
    expect(await through("query --workspace other")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("PERMISSION_DENIED"),
    });
    expect(await through("proof nothing")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("NOT_FOUND"),
    });
    const nobody = { STOA_URL: "http://127.0.0.1:9" };
    expect(await through("verify", nobody)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("does not answer"),
    });
  });

  test("an export that is killed and started again leaves nothing out", async () => {
    const follow = () =>
      spawn(process.execPath, [bin, "audit", "export", "--follow", "--cursor-file", "cursor"], {
        cwd: home,
        env: { ...process.env, STOA_HOME: home, ...env },
        stdio: ["ignore", "pipe", "inherit"],
      });
    const seen: string[] = [];
    /** Collects whole lines; resolves when the record at a place has come. */
    const listen = (child: ReturnType<typeof follow>) => {
      let rest = "";
      let wanted: { place: number; resolve: () => void } | undefined;
      const look = () => {
        if (wanted && seen.some((line) => line.includes(`"seq":${wanted?.place},`))) wanted.resolve();
      };
      child.stdout?.on("data", (chunk) => {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        seen.push(...lines);
        look();
      });
      return (place: number) =>
        new Promise<void>((resolve) => {
          wanted = { place, resolve };
          look();
        });
    };
    await write(0, 1_500);
    const first = follow();
    await listen(first)(1_200);
    first.kill("SIGKILL");
    await once(first, "exit");
    await write(1_500, 1_700);
    const second = follow();
    const until = listen(second);
    await until(1_699);
    await write(1_700, 1_800);
    await until(1_799);
    const exit = once(second, "exit");
    second.kill("SIGINT");
    expect((await exit)[0]).toBe(0);
    const places = new Set(
      seen.map((line) => JSON.parse(line)).flatMap((line) => (line.type === "record" ? [line.seq] : [])),
    );
    expect(places.size).toBe(1_800);
    // Whatever came twice, the file as it stands verifies.
    await writeFile(join(home, "all.jsonl"), seen.map((line) => `${line}\n`).join(""));
    const { problems } = JSON.parse((await through("verify --file all.jsonl --json")).stdout);
    expect(problems.filter(({ code }: { code: string }) => code !== "record_unsigned")).toEqual([]);
  });

  describe("to a collector", () => {
    let collector: Server;
    let answers: { status: number; body?: string }[];
    let bodies: { path: string | undefined; key: string | undefined; records: number }[];
    beforeEach(async () => {
      answers = [];
      bodies = [];
      collector = createServer(async (request, response) => {
        const body = JSON.parse(await text(request));
        const { status, body: answer = "{}" } = answers.shift() ?? { status: 200 };
        if (status === 200) {
          const records = body.resourceLogs[0].scopeLogs[0].logRecords.length;
          bodies.push({ path: request.url, key: request.headers["x-key"] as string | undefined, records });
        }
        response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(answer);
      }).listen(0, "127.0.0.1");
      await once(collector, "listening");
      await write(0, 1_200);
    });
    afterEach(() => collector.close());
    const send = (line = "") =>
      runMain(
        [
          "audit",
          "export",
          "--format",
          "otlp",
          "--endpoint",
          `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
          "--header",
          "x-key: k",
          ...line.split(" ").filter(Boolean),
        ],
        { cwd: home, env: { STOA_HOME: home, ...env } },
      );

    test("records arrive in order, again after it was away", async () => {
      answers = [{ status: 503 }, { status: 429 }];
      const { code, stderr } = await send("--cursor-file cursor");
      expect(code).toBe(0);
      expect(stderr).toMatch(/status 503.*trying again[\s\S]*status 429/);
      expect(bodies).toEqual([
        { path: "/v1/logs", key: "k", records: 1_000 },
        { path: "/v1/logs", key: "k", records: 200 },
      ]);
      expect(JSON.parse(await readFile(join(home, "cursor"), "utf8")).next).toBe(1_200);
    });

    test("one that refuses for good is an error, and the cursor stays where it was", async () => {
      answers = [{ status: 200 }, { status: 400 }];
      const { code, stderr } = await send("--cursor-file cursor");
      expect(code).toBe(4);
      expect(stderr).toContain("did not take the records: HTTP status 400");
      expect(JSON.parse(await readFile(join(home, "cursor"), "utf8")).next).toBe(1_000);
    });

    test("one that drops some says so", async () => {
      answers = [
        { status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too old"}}' },
      ];
      expect(await send()).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("rejected 3 records: too old"),
      });
    });
  });
});
