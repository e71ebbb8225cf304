import { BinduService } from "@stoa/proto/agent_handler_pb";
import { AgentRuntime, type ConverseEvent } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { type AgentOptions, serveAgent } from "@stoa/sdk";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "../../core/src/platform/grpc/index.ts";
import { type CoreProcess, newHome, startCoreProcess } from "./core-process.ts";
import { freePort } from "./ports.ts";

let core: CoreProcess;

beforeAll(async () => {
  core = await startCoreProcess({ home: await newHome() });
});
afterAll(() => core?.stop());

const address = () => `127.0.0.1:${core.grpc.port}`;

async function configOf(name: string, more: object = {}) {
  const url = `http://localhost:${await freePort()}`;
  return { author: "dev@example.com", name, deployment: { url }, ...more };
}

async function agent(name: string, options: Partial<AgentOptions> = {}) {
  const config = await configOf(name);
  const running = await serveAgent({ core: address(), config, handle: async () => name, ...options });
  onTestFinished(() => running.stop());
  return running;
}

function bindu() {
  const client = createGrpcClient(BinduService, address());
  onTestFinished(() => client.close());
  return client;
}

async function tokenOf(user: string, workspace: string): Promise<Record<string, string>> {
  const minted = await core.cli("token", "mint", "--user", user, "--workspace", workspace);
  return { authorization: `Bearer ${minted.stdout.trim()}` };
}

async function say(agentId: string, message: string, metadata: Record<string, string>) {
  const runtime = createGrpcClient(AgentRuntime, address());
  async function* once() {
    yield { sessionId: agentId, message, agentId };
  }
  const events = await Array.fromAsync(runtime.converse(once(), { metadata }));
  runtime.close();
  return { text: events.map(textOf).join(""), model: modelOf(events.at(-1)) };
}

function textOf({ event }: ConverseEvent): string {
  return event.case === "chunk" ? event.value.text : "";
}

function modelOf(last: ConverseEvent | undefined): string {
  return last?.event.case === "done" ? last.event.value.model : "no done event";
}

test("the identity of an agent that left is not given to another principal", async () => {
  const alice = await tokenOf("alice", "a");
  const bob = await tokenOf("bob", "b");
  const request = {
    configJson: JSON.stringify(await configOf("departed")),
    grpcCallbackAddress: "localhost:1",
  };
  const first = await bindu().registerAgent(request, { metadata: alice });
  expect(first).toMatchObject({ success: true });
  const { agentId } = first;
  expect(await bindu().unregisterAgent({ agentId }, { metadata: alice })).toMatchObject({ success: true });
  expect(await bindu().registerAgent(request, { metadata: bob })).toMatchObject({
    success: false,
    error: expect.stringContaining("another principal"),
  });
  expect(await bindu().registerAgent(request, { metadata: alice })).toMatchObject({
    success: true,
    agentId,
    did: first.did,
  });
});

test("an agent cannot register under the id of one of the fleet's", async () => {
  const configJson = JSON.stringify(await configOf("impostor", { id: "assistant" }));
  const refused = await bindu().registerAgent({ configJson, grpcCallbackAddress: "localhost:1" });
  expect(refused).toMatchObject({
    success: false,
    error: expect.stringMatching(/^Registration failed: id: "assistant" is an agent of this core's fleet/),
  });
});

test("a credential decides whose agent it is, and a wrong one registers nothing", async () => {
  const made = await core.cli(
    "key",
    "create",
    "--name",
    "sdk",
    "--workspace",
    "acme",
    "--user",
    "eve",
    "--json",
  );
  const { key } = JSON.parse(made.stdout) as { key: string };
  const { id } = await agent("keyed", { credential: key });
  expect((await say(id, "who?", await tokenOf("ada", "acme"))).text).toBe("keyed");
  expect((await say(id, "who?", await tokenOf("ada", "default"))).model).toMatch(/^ERROR: NotFound/);
  await expect(agent("nobody", { credential: "stoa_wrong" })).rejects.toThrow(/UNAUTHENTICATED/);
});

test("an agent that the core forgot registers anew with its next heartbeat", async () => {
  const { id } = await agent("forgotten", { heartbeatMs: 100 });
  expect(await bindu().unregisterAgent({ agentId: id })).toMatchObject({ success: true });
  const metadata = await tokenOf("ada", "default");
  await expect
    .poll(async () => (await say(id, "there?", metadata)).text, { timeout: 60_000 })
    .toBe("forgotten");
});

test("long answers do not end the conversation", async () => {
  const { id } = await agent("verbose", {
    handle: async (messages) => {
      const size = Number(messages.at(-1)?.content);
      return Number.isNaN(size) ? `heard ${messages.length}` : "x".repeat(size);
    },
  });
  const metadata = await tokenOf("ada", "default");
  const mebibyte = 1024 * 1024;
  for (let turn = 0; turn < 5; turn++)
    expect((await say(id, String(0.9 * mebibyte), metadata)).text).toHaveLength(Math.floor(0.9 * mebibyte));
  expect((await say(id, "and now?", metadata)).text).toBe("heard 3");
  expect(await say(id, String(2 * mebibyte), metadata)).toEqual({
    text: "",
    model: expect.stringMatching(/^ERROR: \w+: The agent's answer has 2097152 bytes/),
  });
  expect((await say(id, "still there?", metadata)).text).toMatch(/^heard/);
});

test("who asks an agent that is away does not learn its address", async () => {
  const registered = await bindu().registerAgent({
    configJson: JSON.stringify(await configOf("away")),
    grpcCallbackAddress: "127.0.0.1:1",
  });
  const { model } = await say(registered.agentId, "hello?", await tokenOf("ada", "default"));
  expect(model).toMatch(/^ERROR: \w+: The agent could not be reached\.$/);
});

test("who made and revoked a key is in the ledger, with a core and without one", async () => {
  const make = async (name: string) =>
    JSON.parse(
      (await core.cli("key", "create", "--name", name, "--workspace", "audited", "--json")).stdout,
    ) as {
      id: string;
    };
  const { id } = await make("temporary");
  await core.cli("key", "revoke", id);
  const { home } = core;
  await core.stop();
  const direct = await make("direct");
  const asked = await core.cli(
    "audit",
    "query",
    "--workspace",
    "audited",
    "--kind",
    "configuration_change",
    "--json",
  );
  const { entries } = JSON.parse(asked.stdout) as {
    entries: { record: { target: string; action: string; userId: string } }[];
  };
  expect(entries.map(({ record }) => [record.target, record.action, record.userId]).sort()).toEqual(
    [
      [`api_key/${id}`, "created", "local"],
      [`api_key/${id}`, "revoked", "local"],
      [`api_key/${direct.id}`, "created", "local"],
    ].sort(),
  );
  core = await startCoreProcess({ home });
});
