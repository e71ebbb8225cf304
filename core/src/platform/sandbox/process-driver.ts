import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { StoaError } from "#platform/errors";
import type { Sandbox, SandboxDriver, SandboxExit, SandboxSpec } from "./driver.ts";

const stopGraceMs = 3_000;
const longestLine = 4_096;

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
      const exited = new Promise<SandboxExit>((resolve) => {
        child.once("close", (code, signal) => resolve({ code, signal }));
        child.once("error", () => resolve({ code: null, signal: null }));
      }).finally(() => rm(folder, { recursive: true, force: true }));
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
    // Standard input stays open for as long as the core lives: its end tells an orphan that the core is gone.
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "/usr/bin:/bin",
      SELU_CAPABILITY_ID: spec.capabilityId,
      SELU_SESSION_ID: spec.sessionId,
      STOA_LISTEN: address,
    },
  });
  child.stdin?.on("error", () => {});
  for (const stream of [child.stdout, child.stderr]) {
    if (stream)
      createInterface({ input: stream }).on("line", (line) => spec.onOutput(line.slice(0, longestLine)));
  }
  return child;
}

function started(child: ChildProcess, spec: SandboxSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(
        new StoaError(
          "CAPABILITY_UNHEALTHY",
          `Capability ${spec.capabilityId}: its program ${spec.program} cannot be started.`,
          {
            cause,
          },
        ),
      ),
    );
  });
}

async function stop(child: ChildProcess, exited: Promise<SandboxExit>): Promise<void> {
  child.stdin?.end();
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), stopGraceMs);
  await exited;
  clearTimeout(timer);
}
