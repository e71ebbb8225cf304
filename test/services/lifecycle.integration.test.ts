import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";

// A run of its own that holds services, ended in the ways a run can end: nothing it started may stay behind.

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const fixture = fileURLToPath(new URL("../reporter/fixture", import.meta.url));
const eventually = { timeout: 60_000, interval: 100 };

interface Holder {
  run: ChildProcess;
  urls: URL[];
  /** The folder it works in, so that what stays behind can be seen. */
  folder: string;
}

async function holder(): Promise<Holder> {
  const folder = mkdtempSync(join(tmpdir(), "stoa-held-"));
  chmodSync(folder, 0o755);
  const report = join(folder, "urls.json");
  const { VITEST: _, VITEST_WORKER_ID: _w, VITEST_POOL_ID: _p, ...outer } = process.env;
  const run = spawn(process.execPath, [vitest, "run", "--root", fixture, "holds"], {
    env: {
      ...outer,
      TMPDIR: folder,
      FIXTURE_REPORT: report,
      FIXTURE_SETUP: "../../services/global-setup.ts",
    },
    stdio: "ignore",
  });
  const urls: string[] = await vi.waitFor(() => JSON.parse(readFileSync(report, "utf8")), eventually);
  return { run, urls: urls.map((url) => new URL(url)), folder };
}

async function answers({ hostname, port }: URL): Promise<boolean> {
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)("nothing stays behind after %s", async (signal) => {
  const { run, urls, folder } = await holder();
  expect(await Promise.all(urls.map(answers))).toEqual([true, true]);
  const exited = once(run, "exit");
  run.kill(signal);
  await exited;
  await vi.waitFor(async () => {
    expect(await Promise.all(urls.map(answers))).toEqual([false, false]);
    expect(readdirSync(folder).filter((name) => name.startsWith("stoa-"))).toEqual([]);
  }, eventually);
  rmSync(folder, { recursive: true });
});
