import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CoreProcess, cleanEnvironment, newHome, runCli, startCoreProcess } from "./core-process.ts";
import { freePort } from "./ports.ts";

/** Starts a core that is expected not to come up. */
async function failToStart(env: Record<string, string>, ...args: string[]) {
  const home = env.STOA_HOME ?? (await newHome());
  const result = await runCli(["up", "--log-level", "error", ...args], {
    ...cleanEnvironment(),
    STOA_HOME: home,
    ...env,
  });
  if (env.STOA_HOME === undefined) await rm(home, { recursive: true, force: true });
  return result;
}

describe("a core that cannot start says why, and what to do", () => {
  let taken: Server;
  let port: string;
  beforeAll(async () => {
    taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    port = String((taken.address() as { port: number }).port);
  });
  afterAll(() => taken.close());

  test.each([
    ["--http-port", "--grpc-port", "STOA_HTTP_PORT"],
    ["--grpc-port", "--http-port", "STOA_GRPC_PORT"],
  ])("port of %s taken", async (flag, other, setting) => {
    const { code, stderr } = await failToStart({}, flag, port, other, "0");
    expect(code).toBe(6);
    expect(stderr).toContain(port);
    expect(stderr).toContain(setting);
    expect(stderr).toContain("PORT_TAKEN");
  });

  test("an unreachable database: what was tried, and no password", async () => {
    const { code, stderr } = await failToStart({
      DATABASE_URL: `postgres://stoa:hunter2@127.0.0.1:${await freePort()}/stoa`,
      STOA_DATABASE_CONNECT_ATTEMPTS: "2",
    });
    expect(code).toBe(4);
    expect(stderr).toContain("STORE_UNREACHABLE");
    expect(stderr).toContain("127.0.0.1");
    expect(stderr).toMatch(/\b2\b/);
    expect(stderr).not.toContain("hunter2");
  });

  test("a home that cannot be written", async () => {
    const home = await newHome();
    await writeFile(join(home, "file"), "");
    const { code, stderr } = await failToStart({ STOA_HOME: join(home, "file", "home") });
    expect(code).toBe(3);
    expect(stderr).toContain("HOME_UNWRITABLE");
    expect(stderr).toContain("STOA_HOME");
    await rm(home, { recursive: true });
  });

  test("a database file that is none, which is left as it was", async () => {
    const home = await newHome();
    await mkdir(home, { recursive: true });
    const garbage = "this is not a database, however long it may be\n".repeat(500);
    await writeFile(join(home, "stoa.db"), garbage);
    const { code, stderr } = await failToStart({ STOA_HOME: home });
    expect(code).toBe(1);
    expect(stderr).toContain("STORE_CORRUPT");
    const { readFile } = await import("node:fs/promises");
    expect(await readFile(join(home, "stoa.db"), "utf8")).toBe(garbage);
    await rm(home, { recursive: true });
  });

  test("a setting that does not exist, by file and line", async () => {
    const home = await newHome();
    const file = join(home, "stoa.yaml");
    await writeFile(file, "http:\n  prot: 1\n");
    const { code, stderr } = await failToStart({ STOA_HOME: home }, "--config", file);
    expect(code).toBe(3);
    expect(stderr).toMatch(/stoa\.yaml:2/);
    expect(stderr).toContain("port");
    await rm(home, { recursive: true });
  });

  test("a fleet with mistakes: each with file and line", async () => {
    const home = await newHome();
    await writeFile(join(home, "fleet.yaml"), "version: 1\nname: x\nmanger: y\n");
    const { code, stderr } = await failToStart({ STOA_HOME: join(home, "data"), STOA_FLEET: home });
    expect(code).toBe(3);
    expect(stderr).toMatch(/fleet\.yaml:3/);
    await rm(home, { recursive: true });
  });
});

describe("a running core", () => {
  let core: CoreProcess;
  beforeAll(async () => {
    core = await startCoreProcess();
  });
  afterAll(async () => {
    expect(await core.stop()).toBe(0);
  });

  test("a second one on the same home is refused by the first one's pid", async () => {
    const { code, stderr } = await failToStart(
      { STOA_HOME: core.home },
      "--http-port",
      "0",
      "--grpc-port",
      "0",
    );
    expect(code).toBe(6);
    expect(stderr).toContain("HOME_IN_USE");
    expect(stderr).toContain(String(core.pid));
  });

  const raw = (path: string, bytes: Buffer) =>
    new Promise<ServiceError | null>((resolve) => {
      const client = new Client(`127.0.0.1:${core.grpc.port}`, credentials.createInsecure(), {
        "grpc.max_send_message_length": -1,
      });
      const done = (error: ServiceError | null) => {
        client.close();
        resolve(error);
      };
      client.makeUnaryRequest(
        path,
        (value: Buffer) => value,
        (value) => value,
        bytes,
        new Metadata(),
        done,
      );
    });

  test("malformed protobuf", async () => {
    const error = await raw("/bindu.grpc.BinduService/Heartbeat", Buffer.from([0x0a, 0xff, 0xff]));
    expect(error).toMatchObject({ code: 3, details: expect.stringContaining("Heartbeat") });
  });

  test("an unknown method names what is served", async () => {
    const error = await raw("/bindu.grpc.BinduService/Nope", Buffer.alloc(0));
    expect(error).toMatchObject({ code: 12, details: expect.stringContaining("RegisterAgent") });
  });

  test("an oversized message names the limit and its setting", async () => {
    const error = await raw("/bindu.grpc.BinduService/Heartbeat", Buffer.alloc(5 * 1024 * 1024));
    expect(error).toMatchObject({ code: 8, details: expect.stringContaining("4194304") });
  });

  test.each([
    ["gRPC", () => core.grpc.port],
    ["HTTP", () => core.http.port],
  ])("garbage on the %s port", async (_what, port) => {
    const socket = connect(port(), "127.0.0.1");
    socket.on("error", () => {});
    socket.end(Buffer.from("\u0000\u0001garbage\r\n\r\n".repeat(100)));
    socket.resume();
    await once(socket, "close");
    expect((await fetch(`http://127.0.0.1:${core.http.port}/healthz`)).status).toBe(200);
    expect(await raw("/bindu.grpc.BinduService/Heartbeat", Buffer.alloc(0))).toBeNull();
  });

  test("registration problems come back in the response, in the contract's words", async () => {
    const { BinduService } = await import("@stoa/proto/agent_handler_pb");
    const { createGrpcClient } = await import("../../core/src/platform/grpc/index.ts");
    const bindu = createGrpcClient(BinduService, `127.0.0.1:${core.grpc.port}`);
    const registered = await bindu.registerAgent({ configJson: "{", grpcCallbackAddress: "localhost:1" });
    expect(registered).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Invalid config_json: /),
    });
    const config = { author: "a", name: "n", deployment: { url: `http://localhost:${core.http.port}` } };
    const taken = await bindu.registerAgent({
      configJson: JSON.stringify(config),
      grpcCallbackAddress: "localhost:1",
    });
    expect(taken).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Registration failed: .*deployment\.url/),
    });
    expect(await bindu.heartbeat({ agentId: "nobody" })).toMatchObject({ acknowledged: false });
    expect(await bindu.unregisterAgent({ agentId: "nobody" })).toMatchObject({ success: false });
    bindu.close();
  });

  test("no secret of it is in its log", async () => {
    const minted = await core.cli("token", "mint", "--user", "eve", "--workspace", "w");
    await fetch(`http://127.0.0.1:${core.http.port}/api/v1/status`, {
      headers: { authorization: `Bearer ${minted.stdout.trim()}` },
    });
    await fetch(`http://127.0.0.1:${core.http.port}/api/v1/status`, {
      headers: { authorization: `Bearer ${core.adminKey}` },
    });
    expect(core.log()).not.toContain(minted.stdout.trim());
    expect(core.log()).not.toContain(core.adminKey);
  });
});
