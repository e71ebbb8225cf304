import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Config } from "#platform/config";
import { messageOf } from "#platform/errors";
import { createLogger } from "#platform/log";
import type { CoreClient } from "../core-client.ts";
import { type Check, type Finding, fail, ok } from "./check.ts";

export const checkPorts: Check = async ({ config, core }) => {
  const { http, grpc } = config;
  const findings = [await checkPort("http", http, "STOA_HTTP_PORT or --http-port", core)];
  if (grpc.enabled) findings.push(await checkPort("grpc", grpc, "STOA_GRPC_PORT or --grpc-port", core));
  return findings.flat();
};

async function checkPort(
  name: "http" | "grpc",
  { host, port }: { host: string; port: number },
  setting: string,
  core: CoreClient | undefined,
): Promise<readonly Finding[]> {
  const where = `${name} ${host}:${port}`;
  const error = port === 0 ? undefined : await tryListen(host, port);
  if (!error) return ok(`${where} is free`);
  const own = name === "http" ? core && Number(new URL(core.baseUrl).port) : core?.grpc?.port;
  if (error.code === "EADDRINUSE") {
    return own === port
      ? ok(`${where} is served by the core with pid ${core?.pid}`)
      : fail(`${where} is used by another program`, `Stop it, or choose another port with ${setting}.`);
  }
  if (error.code === "EACCES")
    return fail(`${where}: this user may not listen there`, `Choose a port above 1023 with ${setting}.`);
  if (error.code === "EADDRNOTAVAIL")
    return fail(`${where}: this machine has no such address`, `Change ${name}.host.`);
  return fail(`${where}: ${error.message}`, `Change ${name}.host or ${setting}.`);
}

function tryListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

export const checkDatabase: Check = async ({ config, core }) => {
  if (core) {
    await core.request("GET", "/readyz");
    return ok(
      `${config.database.url === undefined ? "SQLite" : "PostgreSQL"}: the running core says that it is ready`,
    );
  }
  return config.database.url === undefined ? checkSqlite(config) : checkPostgres(config.database.url);
};

async function checkSqlite({ home }: Config): Promise<readonly Finding[]> {
  const file = join(home, "stoa.db");
  if (!existsSync(file)) return ok(`SQLite: ${file} will be made at the first start`);
  const { default: Database } = await import("better-sqlite3");
  try {
    const database = new Database(file, { readonly: true, timeout: 1000 });
    try {
      const found = database.pragma("quick_check(1)", { simple: true });
      if (found !== "ok") throw new Error(String(found));
    } finally {
      database.close();
    }
    return ok(`SQLite: ${file} is sound`);
  } catch (error) {
    return fail(
      `SQLite: ${file} is damaged (${messageOf(error)})`,
      "Restore it from a backup; it is left as it is.",
    );
  }
}

async function checkPostgres(url: string): Promise<readonly Finding[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  // A lost connection is reported by the query that meets it; the event must only not end the process.
  client.on("error", () => undefined);
  const { host } = new URL(url);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return ok(`PostgreSQL ${rows[0]?.server_version ?? ""} at ${host}`);
  } catch (error) {
    return fail(
      `PostgreSQL at ${host}: ${messageOf(error)}`,
      "Check DATABASE_URL, and that the server runs.",
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

export const checkNats: Check = async ({ config }) => {
  if (config.nats.url === undefined) return ok("in process (NATS_URL is not set)");
  const { openBus } = await import("#platform/bus");
  try {
    const bus = await openBus(
      { url: config.nats.url },
      { log: createLogger({ level: "silent" }), connectTimeoutMs: 3000 },
    );
    try {
      await bus.ping();
    } finally {
      await bus.close();
    }
    return ok("NATS answers");
  } catch (error) {
    return fail(messageOf(error), "Check NATS_URL, and that the server runs.");
  }
};
