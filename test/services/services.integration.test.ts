import { execFile } from "node:child_process";
import { get } from "node:http";
import { promisify } from "node:util";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
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
  test("answers on a socket of its own", async () => {
    const { socketPath, host } = await services.docker();
    expect(host).toBe(`unix://${socketPath}`);
    const info = await dockerGet(socketPath, "/info");
    expect(info).toMatchObject({
      OSType: "linux",
      Containers: 0,
      DockerRootDir: expect.stringContaining("stoa-"),
    });
  });
});

function dockerGet(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    get({ socketPath, path }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    }).on("error", reject);
  });
}

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
