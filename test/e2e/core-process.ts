import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const command = join(repository, "core/bin/stoa.js");

export interface CoreProcess {
  readonly home: string;
  readonly pid: number;
  readonly http: { readonly host: string; readonly port: number };
  readonly grpc: { readonly host: string; readonly port: number };
  readonly adminKey: string | undefined;
  /** Everything the core has written to standard error so far. */
  readonly log: () => string;
  /** Runs another `stoa` command on the same home. */
  cli(...args: string[]): Promise<CliResult>;
  /** Ctrl-C; resolves with the exit code. */
  stop(): Promise<number | null>;
  kill9(): Promise<void>;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CoreOptions {
  /** Kept afterwards where given; else a folder that is removed. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export function newHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), "stoa-e2e-"));
}

/** A whole core in a process of its own, on free ports. */
export async function startCoreProcess(options: CoreOptions = {}): Promise<CoreProcess> {
  const home = options.home ?? (await newHome());
  const env = { ...cleanEnvironment(), STOA_HOME: home, ...options.env };
  const child = spawn(
    process.execPath,
    [command, "up", "--json", "--http-port", "0", "--grpc-port", "0", ...(options.args ?? [])],
    {
      cwd: repository,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const up = await firstLine(child, () => log);
  const { http, grpc, adminKey, pid } = JSON.parse(up) as CoreProcess;
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  const finish = async () => {
    const [code] = await exited;
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
    return code;
  };
  return {
    home,
    pid,
    http,
    grpc,
    adminKey,
    log: () => log,
    cli: (...args) => runCli(args, env),
    stop: () => {
      child.kill("SIGINT");
      return finish();
    },
    kill9: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = "",
): Promise<CliResult> {
  const child = spawn(process.execPath, [command, ...args], {
    cwd: repository,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** The test's own settings must not leak into the core under test. */
export function cleanEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^(STOA_|GRPC__|DATABASE_URL$|NATS_URL$|OTEL_|NODE_OPTIONS$|VITEST)/.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

async function firstLine(child: ChildProcess, log: () => string): Promise<string> {
  if (child.stdout === null) throw new Error("no output to read");
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, "line"), once(child, "exit").then(() => undefined)]);
  if (line === undefined) throw new Error(`the core did not start:\n${log()}`);
  return String(line[0]);
}
