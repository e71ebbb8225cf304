import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exitCodes } from "#platform/errors";
import { bin, type Finished, Started } from "./testing/processes.ts";

let cwd: string;
let started: Started[];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "stoa-cli-"));
  started = [];
});
afterEach(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.map(({ finished }) => finished));
  rmSync(cwd, { recursive: true, force: true });
});

interface UpEvent {
  readonly pid: number;
  readonly http: { readonly port: number };
  readonly grpc: { readonly port: number };
  readonly adminKey?: string;
}

function start(
  args: readonly string[],
  options: { node?: string; env?: Record<string, string> } = {},
): Started {
  const process_ = new Started(options.node ?? process.execPath, args, {
    cwd,
    ...(options.env ? { env: options.env } : {}),
  });
  started.push(process_);
  return process_;
}

function stoa(line: string, env?: Record<string, string>): Promise<Finished> {
  return start([bin("stoa"), ...line.split(" ")], env ? { env } : {}).finished;
}

async function up(options: { node?: string; env?: Record<string, string>; flags?: string[] } = {}) {
  const ports = ["--http-port", "0", "--grpc-port", "0"];
  const core = start([bin("stoa"), "up", "--json", ...ports, ...(options.flags ?? [])], options);
  return { core, event: JSON.parse(await core.line()) as UpEvent };
}

describe("stoa up", () => {
  test("prints where it is, makes an admin key once, and stops in order at Ctrl-C", async () => {
    const { core, event } = await up();
    expect(event).toMatchObject({ event: "up", pid: core.child.pid, home: join(cwd, ".stoa") });
    const status = (authorization: string) =>
      fetch(`http://127.0.0.1:${event.http.port}/api/v1/status`, { headers: { authorization } }).then(
        (res) => res.status,
      );
    expect(await status(`Bearer ${event.adminKey}`)).toBe(200);
    expect(await status("Bearer nonsense")).toBe(401);
    core.child.kill("SIGINT");
    // As npm and the launcher do: the same press, passed on.
    core.child.kill("SIGINT");
    expect(await core.finished).toMatchObject({ code: 0, signal: null });
    expect(existsSync(join(cwd, ".stoa", "core.json"))).toBe(false);

    const again = await up();
    expect(again.event.adminKey).toBeUndefined();
    again.core.child.kill("SIGTERM");
    expect(await again.core.finished).toMatchObject({ code: 0, signal: null });
  });

  test("for people: addresses and the key on stdout, the log on stderr", async () => {
    const core = start([bin("stoa"), "up", "--http-port", "0", "--grpc-port", "0"]);
    while (!(await core.line()).includes("Ctrl-C stops it")) {
      // Until everything is said.
    }
    expect(core.stdout).toMatch(/Console +http:\/\/127\.0\.0\.1:\d+\/\n/);
    expect(core.stdout).toMatch(/gRPC +127\.0\.0\.1:\d+\n/);
    expect(core.stdout).toMatch(/Admin key stoa_\w+\n/);
    expect(core.stderr).not.toMatch(/stoa_[0-9a-z]{10}_/);
    core.child.kill("SIGINT");
    expect(await core.finished).toMatchObject({ code: 0 });
  });

  test("a second core on the same home is refused, and names the first", async () => {
    const { core } = await up();
    const second = await stoa("up --http-port 0 --grpc-port 0");
    expect(second.code).toBe(exitCodes.conflict);
    expect(second.stderr).toContain(`in use by the core with pid ${core.child.pid}`);
    expect(second.stderr).toContain("[HOME_IN_USE]");
  });

  test("a killed core's home can be used at once", async () => {
    const { core } = await up();
    core.child.kill("SIGKILL");
    await core.finished;
    const { event } = await up();
    expect(event.pid).not.toBe(core.child.pid);
  });

  test("a taken port is named with the setting that changes it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const taken = await stoa(`up --http-port ${port} --grpc-port 0`);
    expect(taken.code).toBe(exitCodes.conflict);
    expect(taken.stderr).toContain(String(port));
    expect(taken.stderr).toMatch(/http-port|STOA_HTTP_PORT|http\.port/);
    expect(taken.stderr).toContain("[PORT_TAKEN]");
    server.close();
  });

  test("listening beyond this machine needs authentication", async () => {
    const wide = "up --host 0.0.0.0 --http-port 0 --grpc-port 0";
    const refused = await stoa(wide);
    expect(refused.code).toBe(exitCodes.config);
    expect(refused.stderr).toContain("[EXPOSURE_REFUSED]");
    expect((await stoa("key create --name first --role admin")).code).toBe(0);
    const { event } = await up({ flags: ["--host", "0.0.0.0"] });
    expect(event.adminKey).toBeUndefined();
  });
});

describe("stoa key", () => {
  test("works the same with a core and without one", async () => {
    const create = async (name: string) =>
      JSON.parse((await stoa(`key create --name ${name} --json`)).stdout);
    const list = async () =>
      JSON.parse((await stoa("key list --json")).stdout).keys as { name: string; revokedAt?: number }[];

    const direct = await create("direct");
    const { core, event } = await up();
    // A key exists, so the start made none.
    expect(event.adminKey).toBeUndefined();
    const through = await create("through");
    expect((await list()).map(({ name }) => name)).toEqual(["through", "direct"]);

    const call = (key: string) =>
      fetch(`http://127.0.0.1:${event.http.port}/api/v1/status`, {
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await call(direct.key)).status).toBe(200);
    expect((await call(through.key)).status).toBe(200);
    expect((await stoa(`key revoke ${direct.prefix}`)).stdout).toBe(`Revoked ${direct.id} (direct).\n`);
    expect((await call(direct.key)).status).toBe(401);

    core.child.kill("SIGINT");
    await core.finished;
    expect((await stoa(`key revoke ${through.id}`)).code).toBe(0);
    expect((await list()).every(({ revokedAt }) => revokedAt !== undefined)).toBe(true);
    expect((await stoa("key revoke nothing")).code).toBe(exitCodes.failure);
  });

  test("a member cannot, an admin sees their own workspace", async () => {
    const { event } = await up();
    const url = { STOA_URL: `http://127.0.0.1:${event.http.port}` };
    const make = async (args: string) =>
      JSON.parse((await stoa(`key create ${args} --json`)).stdout).key as string;
    const member = await make("--name m --role member");
    const admin = await make("--name a --role admin --workspace acme");
    const denied = await stoa("key list", { ...url, STOA_API_KEY: member });
    expect(denied.code).toBe(exitCodes.auth);
    expect(denied.stderr).toContain("[PERMISSION_DENIED]");
    const own = await stoa("key list --json", { ...url, STOA_API_KEY: admin });
    expect(JSON.parse(own.stdout).keys.map(({ name }: { name: string }) => name)).toEqual(["a"]);
    const other = await stoa("key create --name x --workspace default", { ...url, STOA_API_KEY: admin });
    expect(other.code).toBe(exitCodes.auth);
    const nobody = await stoa("key list", url);
    expect(nobody.stderr).toContain("[UNAUTHENTICATED]");
    expect((await stoa("key list", { STOA_API_KEY: "stoa_wrong" })).code).toBe(exitCodes.auth);
  });
});

describe("stoa doctor", () => {
  interface Report {
    readonly healthy: boolean;
    readonly checks: readonly { name: string; status: string; detail: string }[];
  }
  const report = async (line: string, env?: Record<string, string>) => {
    const { code, stdout } = await stoa(`doctor --json ${line}`, env);
    return { code, ...(JSON.parse(stdout) as Report) };
  };

  test("before the first start, and while a core runs on the ports it looks at", async () => {
    const fresh = await report("--http-port 0 --grpc-port 0");
    expect(fresh).toMatchObject({ code: 0, healthy: true });
    expect(new Set(fresh.checks.map(({ name }) => name))).toEqual(
      new Set(["Node", "Home", "Disk", "Keys", "Ports", "Database", "Bus", "Docker"]),
    );
    const { core, event } = await up();
    const running = await report(`--http-port ${event.http.port} --grpc-port ${event.grpc.port}`);
    expect(running).toMatchObject({ code: 0, healthy: true });
    expect(
      running.checks.filter(({ detail }) => detail.includes(`the core with pid ${core.child.pid}`)),
    ).toHaveLength(3);
  });

  test("what is broken is named, with what to do, and the exit code says so", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const closed = `127.0.0.1:${port}`;
    await stoa("token mint --user a --workspace b");
    writeFileSync(join(cwd, ".stoa", "signing.key"), "short\n");
    writeFileSync(join(cwd, ".stoa", "stoa.db"), "this is no database".repeat(100));
    const broken = await report(`--http-port ${port} --grpc-port 0`);
    expect(broken).toMatchObject({ code: exitCodes.failure, healthy: false });
    const failed = broken.checks.filter(({ status }) => status === "fail");
    expect(failed.map(({ name }) => name).sort()).toEqual(["Database", "Keys", "Ports"]);
    server.close();
    const unreachable = await report("--http-port 0 --grpc-port 0", {
      DATABASE_URL: `postgres://ada:hunter2@${closed}/x`,
      NATS_URL: `nats://${closed}`,
      STOA_SIGNING_KEY: "k".repeat(32),
    });
    expect(unreachable.checks.filter(({ status }) => status === "fail").map(({ name }) => name)).toEqual([
      "Database",
      "Bus",
    ]);
    expect(JSON.stringify(unreachable)).not.toContain("hunter2");
  });
});

describe("the launcher", () => {
  test("help loads the command line and commander, and nothing else", async () => {
    const recorder = `import { registerHooks } from "node:module";
      registerHooks({ load(url, context, next) { if (url.startsWith("file:")) process.stderr.write(url + "\\n"); return next(url, context); } });`;
    const hook = `data:text/javascript,${encodeURIComponent(recorder)}`;
    const { code, stderr } = await start(["--import", hook, bin("stoa"), "--help"]).finished;
    expect(code).toBe(0);
    const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
    expect(loaded.length).toBeGreaterThan(10);
    const allowed =
      /\/(bin\/(stoa|launch)\.js|src\/faces\/cli\/.*|src\/platform\/errors\/.*|node_modules\/commander\/.*)$/;
    expect(loaded.filter((url) => !allowed.test(url))).toEqual([]);
  });

  const older = olderNode();
  test.skipIf(older === undefined)(
    "an older Node starts the one that is needed, and passes on signals and exit codes",
    async () => {
      const node = older ?? "";
      const version = await start([bin("stoa"), "doctor", "--json", "--http-port", "0", "--grpc-port", "0"], {
        node,
      }).finished;
      expect(version.code).toBe(0);
      expect(version.stdout).toContain("v24.");
      expect((await start([bin("stoa"), "nope"], { node }).finished).code).toBe(exitCodes.usage);
      const { core, event } = await up({ node });
      expect(event.pid).not.toBe(core.child.pid);
      core.child.kill("SIGTERM");
      expect(await core.finished).toMatchObject({ code: 0, signal: null });
    },
  );

  test.skipIf(older === undefined)("an older Node alone is told what to do", async () => {
    for (const name of ["stoa.js", "launch.js"]) {
      writeFileSync(join(cwd, name), readFileSync(join(bin("stoa"), "..", name)));
    }
    writeFileSync(join(cwd, "package.json"), '{"type":"module"}');
    const alone = await start([join(cwd, "stoa.js"), "--help"], { node: older ?? "" }).finished;
    expect(alone.code).toBe(exitCodes.failure);
    expect(alone.stderr).toContain("Stoa runs on Node 24");
    expect(alone.stderr).toContain("npm ci");
  });

  test("both commands can be run as they are", () => {
    for (const name of ["stoa", "bindu"] as const) expect(statSync(bin(name)).mode & 0o111).toBe(0o111);
  });
});

/** Some Node below 24 on the PATH, to start the launcher with. */
function olderNode(): string | undefined {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const node = join(folder, "node");
    if (!existsSync(node)) continue;
    const major = Number(execFileSync(node, ["-p", "process.versions.node"]).toString().split(".")[0]);
    if (major >= 20 && major < 24) return node;
  }
  return undefined;
}

describe("bindu", () => {
  const serve = (port: number | string, env?: Record<string, string>) =>
    start([bin("bindu"), "serve", "--grpc", "--grpc-port", String(port)], env ? { env } : {});

  test("has nothing to do where a core listens", async () => {
    const { event } = await up();
    const { code, stdout } = await serve(event.grpc.port).finished;
    expect(code).toBe(0);
    expect(stdout).toContain(`A core listens on port ${event.grpc.port} already.`);
  });

  test("starts a core where none does", async () => {
    const port = await freePort();
    const core = serve(port, { STOA_HTTP_PORT: "0", STOA_LOG_LEVEL: "silent" });
    while (!(await core.line()).includes(`127.0.0.1:${port}`)) {
      // Until it says where its gRPC is.
    }
    const second = await serve(port).finished;
    expect(second.code).toBe(0);
    core.child.kill("SIGINT");
    expect((await core.finished).code).toBe(0);
  });

  test("does not take another program for a core", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await serve(port, { STOA_HTTP_PORT: "0" }).finished;
    expect(code).toBe(exitCodes.conflict);
    expect(stderr).toContain("[PORT_TAKEN]");
    server.close();
  });

  test.each([
    ["start"],
    ["serve", "--rest"],
    ["serve", "--grpc-port"],
    ["serve", "--grpc-port", "99999"],
    [],
  ])("does not understand: bindu %s %s %s", async (...words) => {
    const { code, stderr } = await start([bin("bindu"), ...words.filter((word) => word !== undefined)])
      .finished;
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain("usage: bindu serve --grpc --grpc-port <port>");
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
