import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { DockerClient } from "./docker-client.ts";
import { withoutEngine } from "./docker-network.ts";
import { describeWith } from "./index.ts";
import { type ToolName, toolNames } from "./protocol.ts";

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describeWith(["postgres"], "postgres", (services) => {
  test("gives each caller an empty database of its own", async () => {
    const [one, two] = await Promise.all([services.postgres(), services.postgres()]);
    expect(one.url).not.toBe(two.url);
    await rows(one.url, "CREATE TABLE t (n int)");
    expect(await rows(two.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  test("a server of one's own survives kill -9 with what it acknowledged", async () => {
    const server = await services.ownPostgres();
    await rows(server.url, "CREATE TABLE t (n int); INSERT INTO t VALUES (7)");
    await server.kill9();
    await expect(rows(server.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
    await server.restart();
    expect(await rows(server.url, "SELECT n FROM t")).toEqual([{ n: 7 }]);
    await server.stop();
    await expect(rows(server.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  });
});

describeWith(["nats"], "nats", (services) => {
  test("carries a message, and has JetStream", async () => {
    const { url } = await services.nats();
    const connection = await connect({ servers: url });
    const subscription = connection.subscribe("a.*", { max: 1 });
    connection.publish("a.b", "hello");
    for await (const message of subscription) expect(message.string()).toBe("hello");
    expect((await (await jetstreamManager(connection)).getAccountInfo()).streams).toBe(0);
    await connection.close();
  });
});

describeWith(["docker"], "docker", (services) => {
  test("runs a container with limits on a network of its own", async () => {
    const { socketPath, host } = await services.docker();
    expect(host).toBe(`unix://${socketPath}`);
    const docker = new DockerClient(socketPath);
    // buf is one static file, so that an image needs nothing else.
    const arch = process.arch === "arm64" ? "aarch64" : process.arch;
    const binary = createRequire(import.meta.url).resolve(`@bufbuild/buf-linux-${arch}/bin/buf`);
    const { stdout: archive } = await promisify(execFile)("tar", ["-cf", "-", "-C", dirname(binary), "buf"], {
      encoding: "buffer",
      maxBuffer: 1 << 28,
    });
    await docker.post("/images/create?fromSrc=-&repo=buf", archive, "application/x-tar");
    await docker.post("/networks/create", { Name: "inner", Internal: true, CheckDuplicate: true });
    const { Id } = await docker.post<{ Id: string }>("/containers/create", {
      Image: "buf",
      Cmd: ["/buf", "--version"],
      HostConfig: {
        NetworkMode: "inner",
        Memory: 64 << 20,
        PidsLimit: 32,
        NanoCpus: 500_000_000,
        ReadonlyRootfs: true,
      },
    });
    await docker.post(`/containers/${Id}/start`);
    expect(await docker.post(`/containers/${Id}/wait`)).toMatchObject({ StatusCode: 0 });
    expect(await docker.get(`/containers/${Id}/logs?stdout=1&stderr=1`)).toContain("1.");
  });
});

test("the firewall is left as it was, with what others added meanwhile", () => {
  const before = "*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n";
  const now =
    "*filter\n:FORWARD DROP [0:0]\n:DOCKER - [0:0]\n-A FORWARD -j DOCKER-USER\n-A FORWARD -o stoa-1 -j ACCEPT\n" +
    "-A FORWARD -s 10.7.0.0/16 -j ACCEPT\n-A INPUT -p tcp -j ACCEPT\nCOMMIT\n";
  const marks = ["stoa-1", "10.7."];
  expect(withoutEngine(now, before, { others: false, marks })).toBe(
    "*filter\n:FORWARD ACCEPT [0:0]\n-A INPUT -p tcp -j ACCEPT\nCOMMIT\n",
  );
  const shared =
    "*filter\n:FORWARD DROP [0:0]\n:DOCKER - [0:0]\n-A FORWARD -j DOCKER-USER\n-A INPUT -p tcp -j ACCEPT\nCOMMIT\n";
  expect(withoutEngine(now, before, { others: true, marks })).toBe(shared);
  expect(withoutEngine(now, shared, { others: false, marks })).toBe(shared);
});

const tools = {
  go: ["version"],
  grpcurl: ["-help"],
  mypy: ["--version"],
  protoc: ["--version"],
  "protoc-gen-go": ["--version"],
  "protoc-gen-go-grpc": ["--version"],
  pydantic: ["-c", "import pydantic; print(pydantic.VERSION)"],
  "python-grpc-tools": ["-m", "grpc_tools.protoc", "--version"],
  strace: ["-V"],
  tsc: ["--version"],
} satisfies Record<ToolName, string[]>;

for (const name of toolNames) {
  describeWith([name], name, (services) => {
    test("runs", async () => {
      const { path, env } = await services.tool(name);
      await promisify(execFile)(path, tools[name], { env: { ...process.env, ...env } });
    });
  });
}

describeWith(["chromium"], "chromium", (services) => {
  test("renders a page", async () => {
    const { executablePath } = await services.chromium();
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const page = await browser.newPage();
    await page.setContent("<h1>Stoa</h1>");
    expect(await page.textContent("h1")).toBe("Stoa");
    await browser.close();
  });
});
