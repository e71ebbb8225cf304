import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProcessDriver } from "./index.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stoa-driver-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(source: string, onOutput: (line: string) => void = () => {}) {
  const program = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(program, source);
  return createProcessDriver().start({ capabilityId: "c", sessionId: "s", program, onOutput });
}

test("output without an end is cut, not collected", async () => {
  let longest = 0;
  let bytes = 0;
  const sandbox = await run(
    "const c = 'x'.repeat(65536); let n = 0; const go = () => { if (n++ < 400) process.stdout.write(c, go); }; go();",
    (line) => {
      longest = Math.max(longest, line.length);
      bytes += line.length;
    },
  );
  await sandbox.exited;
  expect(longest).toBeLessThanOrEqual(4_096);
  expect(bytes).toBeGreaterThan(0);
});

test("a program whose child holds its output open still ends, and the child with it", async () => {
  let grandchild = 0;
  const announced = Promise.withResolvers<void>();
  const sandbox = await run(
    "import { spawn } from 'node:child_process'; const c = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); console.log(c.pid); setInterval(() => {}, 1000);",
    (line) => {
      grandchild = Number(line);
      announced.resolve();
    },
  );
  await announced.promise;
  await sandbox.stop();
  await expect.poll(() => isAlive(grandchild), { timeout: 10_000 }).toBe(false);
});

test("a program that resists SIGTERM is ended all the same", async () => {
  const ready = Promise.withResolvers<void>();
  const sandbox = await run(
    "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000);",
    () => ready.resolve(),
  );
  await ready.promise;
  await sandbox.stop();
  expect(await sandbox.exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("a program that does not exist is an error that names it", async () => {
  const starting = createProcessDriver().start({
    capabilityId: "c",
    sessionId: "s",
    program: join(folder, "nope"),
    onOutput: () => {},
  });
  await expect(starting).rejects.toMatchObject({
    code: "CAPABILITY_UNHEALTHY",
    message: expect.stringContaining("nope"),
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
