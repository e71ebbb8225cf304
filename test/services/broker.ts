import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { startDocker } from "./docker.ts";
import { createRunFolder } from "./folder.ts";
import { Missing, say } from "./install.ts";
import { startNats } from "./nats.ts";
import { PostgresServer } from "./postgres.ts";
import { ownedProcesses, stopEverything } from "./process.ts";
import type { Answer, Call, Methods, Notice, ServiceName, ToolName } from "./protocol.ts";
import { findChromium, findTool } from "./tools.ts";

// One process that brings and owns the services of one test run. It is asked over a unix socket, starts each service
// on first use, and ends with everything it started when its standard input closes.

const folder = await createRunFolder();
// A comma-separated list, for who wants to do without the slow ones.
const unwanted = new Set((process.env.STOA_TEST_WITHOUT ?? "").split(","));
const begun = new Map<string, Promise<unknown>>();
const ownServers = new Map<string, PostgresServer>();

/** Runs `start` once per service; every later caller waits for the same result, or gets the same failure. */
function once<T>(service: ServiceName, start: () => Promise<T>): Promise<T> {
  if (unwanted.has(service)) start = () => Promise.reject(new Missing("switched off by STOA_TEST_WITHOUT"));
  const running =
    begun.get(service) ?? start().catch((error: unknown) => Promise.reject(missing(service, error)));
  begun.set(service, running);
  return running as Promise<T>;
}

class ServiceMissing extends Error {
  readonly service: string;
  constructor(service: string, reason: string) {
    super(reason);
    this.service = service;
  }
}

function missing(service: ServiceName, error: unknown): ServiceMissing {
  // A Missing says why in words made for the reader; anything else is a fault worth its whole story.
  const reason =
    error instanceof Missing ? error.message : error instanceof Error ? String(error.stack) : String(error);
  say(`${service} is not available: ${reason}`);
  notify({ kind: "missing", service, reason: reason.split("\n")[0] ?? reason });
  return new ServiceMissing(service, reason);
}

const sharedPostgres = () =>
  once("postgres", () => PostgresServer.start(join(folder, "postgres"), { durable: false }));
const nats = () => once("nats", () => startNats(join(folder, "nats")));
const docker = () => once("docker", () => startDocker(folder));
const chromium = () => once("chromium", findChromium);
const tool = (name: ToolName) => once(name, () => findTool(name));

const methods: Methods = {
  async ensure(name) {
    if (name === "postgres") await sharedPostgres();
    else if (name === "nats") await nats();
    else if (name === "docker") await docker();
    else if (name === "chromium") await chromium();
    else await tool(name);
  },
  async postgres() {
    return { url: await (await sharedPostgres()).createDatabase() };
  },
  async ownPostgres() {
    await sharedPostgres();
    const id = randomBytes(6).toString("hex");
    const server = await PostgresServer.start(join(folder, `postgres-${id}`), { durable: true });
    ownServers.set(id, server);
    return { id, url: await server.createDatabase() };
  },
  killPostgres: (id) => own(id).kill9(),
  restartPostgres: (id) => own(id).restart(),
  stopPostgres: (id) => own(id).stop(),
  nats,
  docker,
  chromium,
  tool,
};

function own(id: string): PostgresServer {
  const server = ownServers.get(id);
  if (!server) throw new Error(`There is no PostgreSQL server ${id}.`);
  return server;
}

async function answer({ method, args }: Call): Promise<Answer> {
  try {
    const run = methods[method] as (...args: unknown[]) => Promise<unknown>;
    return { kind: "value", value: await run(...args) };
  } catch (error) {
    if (error instanceof ServiceMissing)
      return { kind: "missing", service: error.service, reason: error.message };
    return { kind: "error", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

async function readCall(req: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

function notify(notice: Notice): void {
  process.stdout.write(`${JSON.stringify(notice)}\n`);
}

// Installing a package takes minutes on a slow machine: no time limits here, the run that asks has its own.
const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, async (req, res) => {
  res.end(JSON.stringify(await answer(await readCall(req))));
});
const socketPath = join(folder, "broker.sock");
server.listen(socketPath, () => notify({ kind: "ready", socketPath }));

async function end(exitCode = 0): Promise<void> {
  server.close();
  server.closeAllConnections();
  await stopEverything(ownedProcesses);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(exitCode);
}

process.stdout.on("error", () => {}); // The run is gone; the closing of standard input is what counts.
process.stdin
  .on("end", () => void end())
  .on("error", () => void end())
  .resume();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end());
process.on("uncaughtException", (error) => {
  say(`the broker failed: ${error.stack}`);
  void end(1);
});
