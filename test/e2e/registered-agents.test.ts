import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { type AgentOptions, serveAgent } from "@stoa/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGrpcClient } from "../../core/src/platform/grpc/index.ts";
import { type CoreProcess, newHome, startCoreProcess } from "./core-process.ts";
import { freePort } from "./ports.ts";

let core: CoreProcess;
let grpcPort: number;

beforeAll(async () => {
  grpcPort = await freePort();
  core = await startCoreProcess({ home: await newHome(), args: ["--grpc-port", String(grpcPort)] });
});
afterAll(() => core?.stop());

function agent(name: string, port: number, handle: AgentOptions["handle"]) {
  return serveAgent({
    core: `127.0.0.1:${grpcPort}`,
    config: { author: "dev@example.com", name, deployment: { url: `http://localhost:${port}` } },
    handle,
  });
}

async function ask(url: string, text: string): Promise<{ state: string; answer?: string; said?: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: { message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] } },
    }),
  });
  const { result, error } = (await response.json()) as { result?: { task: TaskJson }; error?: unknown };
  if (result === undefined) throw new Error(JSON.stringify(error));
  const { status, artifacts } = result.task;
  const [answer] = artifacts?.[0]?.parts ?? [];
  const [said] = status.message?.parts ?? [];
  return { state: status.state, ...(answer && { answer: answer.text }), ...(said && { said: said.text }) };
}

interface TaskJson {
  status: { state: string; message?: { parts: { text: string }[] } };
  artifacts?: { parts: { text: string }[] }[];
}

test("two agents that name the same address: the second has its own path, and is told so", async () => {
  const port = await freePort();
  const first = await agent("first", port, async () => "I am first");
  const second = await agent("second", port, async () => "I am second");
  expect(first.url).toBe(`http://localhost:${port}`);
  expect(second.url).toBe(`http://localhost:${port}/agents/${second.id}`);
  expect(await ask(first.url, "who?")).toEqual({ state: "TASK_STATE_COMPLETED", answer: "I am first" });
  expect(await ask(second.url, "who?")).toEqual({ state: "TASK_STATE_COMPLETED", answer: "I am second" });
  const card = (await (await fetch(`${second.url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: { url: string }[];
  };
  expect(card.supportedInterfaces[0]?.url).toBe(`${second.url}/`);
  await first.stop();
  await second.stop();
});

test("unregistering takes the listener away; registering anew replaces the callback", async () => {
  const port = await freePort();
  const before = await agent("twice", port, async () => "old");
  const after = await agent("twice", port, async () => "new");
  expect(after.id).toBe(before.id);
  expect(await ask(after.url, "x")).toMatchObject({ answer: "new" });
  await after.stop();
  await expect(fetch(after.url)).rejects.toThrow();
});

test("the states of a handler's reply become the task's", async () => {
  const port = await freePort();
  const running = await agent("states", port, async (messages) => {
    const text = messages.at(-1)?.content;
    if (text === "clarify") return { state: "input-required", prompt: "Which one?" };
    if (text === "sign in") return { state: "auth-required" };
    if (text === "odd") return { state: "sideways" as "" };
    throw new Error("kaboom");
  });
  expect(await ask(running.url, "clarify")).toMatchObject({
    state: "TASK_STATE_INPUT_REQUIRED",
    said: "Which one?",
  });
  expect(await ask(running.url, "sign in")).toMatchObject({ state: "TASK_STATE_AUTH_REQUIRED" });
  expect(await ask(running.url, "odd")).toMatchObject({
    state: "TASK_STATE_FAILED",
    said: expect.stringContaining("sideways"),
  });
  expect(await ask(running.url, "boom")).toMatchObject({
    state: "TASK_STATE_FAILED",
    said: expect.stringContaining("kaboom"),
  });
  await running.stop();
});

test("one slow message does not hold up the agent's others", async () => {
  const port = await freePort();
  const gate = Promise.withResolvers<void>();
  const running = await agent("slow", port, async (messages) => {
    if (messages.at(-1)?.content === "wait") await gate.promise;
    return "done";
  });
  const slow = ask(running.url, "wait");
  expect(await ask(running.url, "quick")).toMatchObject({ answer: "done" });
  gate.resolve();
  expect(await slow).toMatchObject({ answer: "done" });
  await running.stop();
});

test("another principal cannot take over an agent's id", async () => {
  const port = await freePort();
  const mine = await agent("owned", port, async () => "mine");
  const { BinduService } = await import("@stoa/proto/agent_handler_pb");
  const bindu = createGrpcClient(BinduService, `127.0.0.1:${grpcPort}`);
  const minted = await core.cli("token", "mint", "--user", "mallory", "--workspace", "other");
  const metadata = { authorization: `Bearer ${minted.stdout.trim()}` };
  const configJson = JSON.stringify({
    author: "dev@example.com",
    name: "owned",
    deployment: { url: `http://localhost:${port}` },
  });
  const stolen = await bindu.registerAgent({ configJson, grpcCallbackAddress: "localhost:1" }, { metadata });
  expect(stolen).toMatchObject({ success: false, error: expect.stringContaining("another principal") });
  expect(await bindu.heartbeat({ agentId: mine.id }, { metadata })).toMatchObject({ acknowledged: false });
  expect(await bindu.unregisterAgent({ agentId: mine.id }, { metadata })).toMatchObject({ success: false });
  expect(await ask(mine.url, "x")).toMatchObject({ answer: "mine" });
  bindu.close();
  await mine.stop();
});

test("a restarted core still serves its agents, and the session remembers", async () => {
  const port = await freePort();
  const running = await agent("survivor", port, async (messages) => `heard ${messages.length}`);
  const say = async (message: string) => {
    const runtime = createGrpcClient(AgentRuntime, `127.0.0.1:${grpcPort}`);
    const minted = await core.cli("token", "mint", "--user", "ada", "--workspace", "default");
    async function* once() {
      yield { sessionId: "s", message, agentId: running.id };
    }
    const events = await Array.fromAsync(
      runtime.converse(once(), { metadata: { authorization: `Bearer ${minted.stdout.trim()}` } }),
    );
    runtime.close();
    const [chunk] = events;
    return chunk?.event.case === "chunk" ? chunk.event.value.text : JSON.stringify(chunk?.event);
  };
  expect(await say("one")).toBe("heard 1");
  await core.kill9();
  core = await startCoreProcess({ home: core.home, args: ["--grpc-port", String(grpcPort)] });
  expect(await ask(running.url, "still there?")).toMatchObject({ answer: "heard 1" });
  expect(await say("two")).toBe("heard 3");
  await running.stop();
});
