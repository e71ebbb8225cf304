import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseManifest } from "#domain/contracts/manifest";
import { createLogger } from "#platform/log";
import { createProcessDriver } from "#platform/sandbox";
import { CapabilityCatalogue, CapabilityRuntime, type ToolCapability } from "./index.ts";

const folder = fileURLToPath(new URL("../../../../test/fixtures/fleet/capabilities/probe", import.meta.url));
const call = { args: {}, config: {}, sessionId: "s", threadId: "t" };
let capability: ToolCapability;
let runtime: CapabilityRuntime;

beforeEach(async () => {
  capability = new CapabilityCatalogue().add(
    parseManifest(await readFile(join(folder, "manifest.yaml"), "utf8")),
    folder,
  );
  runtime = new CapabilityRuntime({
    driver: createProcessDriver(),
    log: createLogger({ level: "silent", format: "json" }),
    healthIntervalMs: 3_600_000,
    healthTimeoutMs: 1_000,
  });
});
afterEach(() => runtime.stop());

async function pid(): Promise<number> {
  const { resultJson } = await runtime.invoke(
    capability,
    { ...call, toolName: "pid" },
    { timeoutMs: 20_000 },
  );
  return (JSON.parse(Buffer.from(resultJson).toString()) as { pid: number }).pid;
}

test("a server that answers no health check is given up after three, and the next call has another", async () => {
  const wedged = await pid();
  process.kill(wedged, "SIGSTOP");
  await runtime.checkAll();
  expect(runtime.status(capability)).toMatchObject({ state: "unhealthy" });
  await expect(pid()).rejects.toMatchObject({ code: "CAPABILITY_UNHEALTHY" });
  await runtime.checkAll();
  await runtime.checkAll();
  expect(await pid()).not.toBe(wedged);
  expect(runtime.status(capability)).toEqual({ state: "ready" });
});

test("a server that recovers before that is used again", async () => {
  const paused = await pid();
  process.kill(paused, "SIGSTOP");
  await runtime.checkAll();
  process.kill(paused, "SIGCONT");
  await runtime.checkAll();
  expect(await pid()).toBe(paused);
});

test("a program that dies at its start leaves its last words", async () => {
  const mine = await mkdtemp(join(tmpdir(), "stoa-dying-"));
  await writeFile(join(mine, "server.ts"), 'console.error("no licence found"); process.exit(3);');
  const text = 'id: dying\nimage: "file:./server.ts"\ntool_source: dynamic\n';
  const dying = new CapabilityCatalogue().add(parseManifest(text), mine);
  await expect(runtime.start(dying)).rejects.toMatchObject({
    code: "CAPABILITY_UNHEALTHY",
    message: expect.stringMatching(/code 3.*no licence found/),
  });
  await rm(mine, { recursive: true });
});

test("a killed server is noticed without a call, and stop leaves nothing behind", async () => {
  const killed = await pid();
  process.kill(killed, "SIGKILL");
  await expect.poll(() => runtime.status(capability).state, { timeout: 10_000 }).toBe("unhealthy");
  const next = await pid();
  await runtime.stop();
  expect(() => process.kill(next, 0)).toThrow();
  await expect(pid()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
});
