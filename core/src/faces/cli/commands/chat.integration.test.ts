import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentOptions, serveAgent } from "@stoa/sdk";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { exitCodes } from "#platform/errors";
import { freePort } from "../../../../../test/e2e/ports.ts";
import { bin, Started } from "../testing/processes.ts";
import { runMain } from "../testing/run-main.ts";

let cwd: string;
let core: Started;
let grpcPort: number;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "stoa-chat-"));
});
afterEach(async () => {
  core.child.kill("SIGKILL");
  await core.finished;
  rmSync(cwd, { recursive: true, force: true });
});

async function up(...flags: string[]): Promise<void> {
  const words = [bin("stoa"), "up", "--json", "--http-port", "0", "--grpc-port", "0", ...flags];
  core = new Started(process.execPath, words, { cwd });
  grpcPort = (JSON.parse(await core.line()) as { grpc: { port: number } }).grpc.port;
}

async function agent(handle: AgentOptions["handle"]): Promise<string> {
  const config = { author: "a", name: "n", deployment: { url: `http://localhost:${await freePort()}` } };
  const running = await serveAgent({ core: `127.0.0.1:${grpcPort}`, config, handle });
  onTestFinished(() => running.stop());
  return running.id;
}

const stoa = (...argv: string[]) => runMain(argv, { cwd });

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === "::1"),
);
test.skipIf(!hasIpv6)("a core on ::1 can be talked to", async () => {
  await up("--host", "::1");
  expect(await stoa("chat", "--agent", "librarian", "Sing!")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("librarian: "),
  });
});

test("an answer that failed is a failure, for people and for programs", async () => {
  await up();
  const person = await stoa("chat", "--agent", "nobody", "hi");
  expect(person).toMatchObject({ code: exitCodes.failure, stdout: expect.stringContaining("[NotFound]") });
  const program = await stoa("chat", "--json", "--agent", "nobody", "hi");
  expect(program).toMatchObject({
    code: exitCodes.failure,
    stdout: expect.stringContaining("ERROR: NotFound"),
  });
  expect(await stoa("chat", "--json", "Sing!")).toMatchObject({ code: 0 });
});

test("in a terminal, Ctrl-C ends the answer under way and not the conversation; then it ends that", async () => {
  await up();
  const asked = Promise.withResolvers<void>();
  const id = await agent(async (messages) => {
    if (messages.at(-1)?.content !== "wait") return "here I am";
    asked.resolve();
    return new Promise<string>(() => {});
  });
  const { code, stdout, stderr } = await runMain(["chat", "--agent", id], {
    cwd,
    terminal: true,
    async *typed(written) {
      yield "wait\r";
      await asked.promise;
      yield "\u0003";
      await vi.waitUntil(() => written().includes("[CANCELLED]"), { timeout: 60_000 });
      yield "hello\r";
      await vi.waitUntil(() => written().includes("here I am"), { timeout: 60_000 });
      // The words are here before the answer's end is: pressed that early, Ctrl-C is still about the answer.
      for (let pressed = 0; pressed < 100; pressed++) {
        yield "\u0003";
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      // Not the end of the input: that alone would end the conversation too.
      await new Promise(() => {});
    },
  });
  expect(code).toBe(0);
  expect(stderr).toContain("[CANCELLED]");
  expect(stdout).toContain("here I am");
});

test("a request waits as long as it is told to, and a little more", async () => {
  await up();
  const deadline = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => deadline.mockRestore());
  const book = ["request", "librarian", "recommend-book", '{"subject":"stoicism"}'];
  expect((await stoa(...book, "--timeout-ms", "60000")).code).toBe(0);
  expect(deadline).toHaveBeenLastCalledWith(65_000);
  expect((await stoa(...book)).code).toBe(0);
  expect(deadline).toHaveBeenLastCalledWith(35_000);
  expect((await stoa(...book, "--timeout-ms", "soon")).code).toBe(exitCodes.usage);
});

test("what a core says about a request does not steer the terminal", async () => {
  await up();
  const payload = JSON.stringify({ subject: "stoicism", "\u001b[2Jevil": 1 });
  const { code, stdout } = await stoa("request", "librarian", "recommend-book", payload);
  expect(code).toBe(exitCodes.failure);
  expect(stdout).toContain("evil");
  expect(stdout).not.toContain("\u001b");
});
