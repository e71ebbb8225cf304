import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { StoaError } from "#platform/errors";
import type { Sandbox, SandboxDriver, SandboxExit, SandboxSpec } from "./driver.ts";
import { onLines } from "./lines.ts";

const stopGraceMs = 3_000;
const lastWordsMs = 500;

/**
 * Runs a capability as a child process of the core: for trusted programs beside their manifest, in development
 * and demos. It gets a socket in a private folder and an environment with none of the core's variables; it does
 * not confine network or files, which is why only `image: file:…` uses it.
 */
export function createProcessDriver(): SandboxDriver {
  return {
    kind: "process",
    async start(spec: SandboxSpec): Promise<Sandbox> {
      const folder = await mkdtemp(join(tmpdir(), "stoa-cap-"));
      const address = `unix:${join(folder, "s")}`;
      const child = spawnProgram(spec, address);
      // What the program left beside its socket may resist being removed; that is no reason to fail.
      const exited = ended(child).finally(() => rm(folder, { recursive: true, force: true }).catch(() => {}));
      await started(child, spec);
      return { address, exited, stop: () => stop(child, exited) };
    },
  };
}

function spawnProgram(spec: SandboxSpec, address: string): ChildProcess {
  const viaNode = [".ts", ".js", ".mjs"].includes(extname(spec.program));
  const [command, args] = viaNode ? [process.execPath, [spec.program]] : [spec.program, []];
  const child = spawn(command, args, {
    cwd: dirname(spec.program),
    // A group of its own, so that what it starts in turn ends with it.
    detached: true,
    // Standard input stays open for as long as the core lives: its end tells an orphan that the core is gone.
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      SELU_CAPABILITY_ID: spec.capabilityId,
      SELU_SESSION_ID: spec.sessionId,
      STOA_LISTEN: address,
    },
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  for (const stream of [child.stdout, child.stderr]) onLines(stream, spec.onOutput);
  return child;
}

/** When the program itself has ended and its last words are read, whoever may still hold its output open. */
function ended(child: ChildProcess): Promise<SandboxExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      signalGroup(child, "SIGKILL");
      const finish = () => {
        clearTimeout(timer);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      };
      const timer = setTimeout(finish, lastWordsMs);
      child.once("close", finish);
    });
    child.once("error", () => resolve({ code: null, signal: null }));
  });
}

function started(child: ChildProcess, spec: SandboxSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      const message = `Capability ${spec.capabilityId}: its program ${spec.program} cannot be started.`;
      reject(new StoaError("CAPABILITY_UNHEALTHY", message, { cause }));
    });
  });
}

async function stop(child: ChildProcess, exited: Promise<SandboxExit>): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), stopGraceMs);
  await exited;
  clearTimeout(timer);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
