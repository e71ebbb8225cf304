import { rm } from "node:fs/promises";
import { BinduService } from "@stoa/proto/agent_handler_pb";
import { type AgentOptions, type RunningAgent, serveAgent } from "@stoa/sdk";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createGrpcClient } from "../../core/src/platform/grpc/index.ts";
import { type CoreProcess, newHome, startCoreProcess } from "./core-process.ts";
import { freePort } from "./ports.ts";

let core: CoreProcess;
let grpcPort: number;

beforeAll(async () => {
  grpcPort = await freePort();
  core = await startCoreProcess({ home: await newHome(), args: ["--grpc-port", String(grpcPort)] });
});
afterAll(async () => {
  await core?.stop();
  await rm(core?.home ?? "", { recursive: true, force: true });
});

const waiting = { timeout: 60_000, interval: 20 };

async function agent(name: string, handle: AgentOptions["handle"]): Promise<RunningAgent & { port: number }> {
  const port = await freePort();
  const running = await serveAgent({
    core: `127.0.0.1:${grpcPort}`,
    config: { author: "dev@example.com", name, deployment: { url: `http://localhost:${port}` } },
    handle,
  });
  return { ...running, port };
}

interface TaskJson {
  id: string;
  contextId: string;
  status: { state: string; message?: { parts: { text: string }[]; metadata?: Record<string, string> } };
  artifacts?: { parts: { text: string }[] }[];
  history?: { messageId: string; role: string }[];
  metadata?: Record<string, string>;
}

interface Answer {
  id: string | number | null;
  result?: { task?: TaskJson } & Partial<TaskJson>;
  error?: { code: number; message: string; data?: { reason?: string }[] };
}

type Headers = Record<string, string>;

function post(url: string, body: unknown, headers: Headers = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function rpc(url: string, method: string, params: unknown, headers?: Headers): Promise<Answer> {
  return (await (await post(url, { jsonrpc: "2.0", id: 7, method, params }, headers)).json()) as Answer;
}

let messages = 0;
function says(text: string, more: Record<string, unknown> = {}) {
  return { message: { messageId: `m${++messages}`, role: "ROLE_USER", parts: [{ text }], ...more } };
}

const atOnce = { configuration: { returnImmediately: true } };

async function begin(url: string, text: string): Promise<TaskJson> {
  const { result, error } = await rpc(url, "SendMessage", { ...says(text), ...atOnce });
  if (result?.task === undefined) throw new Error(JSON.stringify(error));
  return result.task;
}

async function taskAt(url: string, id: string, headers?: Headers): Promise<TaskJson> {
  const { result, error } = await rpc(url, "GetTask", { id }, headers);
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result as TaskJson;
}

async function ended(url: string, id: string, state: string): Promise<TaskJson> {
  return vi.waitFor(async () => {
    const task = await taskAt(url, id);
    expect(task.status.state).toBe(state);
    return task;
  }, waiting);
}

async function tokenOf(workspace: string, user = "ada"): Promise<Headers> {
  const minted = await core.cli("token", "mint", "--user", user, "--workspace", workspace);
  return { authorization: `Bearer ${minted.stdout.trim()}` };
}

async function keyOf(role: string): Promise<Headers> {
  const made = await core.cli("key", "create", "--name", role, "--role", role, "--json");
  return { authorization: `Bearer ${(JSON.parse(made.stdout) as { key: string }).key}` };
}

/** An agent of another workspace; nobody answers for it, which is enough to see who may know of it. */
async function agentOfAnother(name: string, port: number, metadata: Headers): Promise<string> {
  const bindu = createGrpcClient(BinduService, `127.0.0.1:${grpcPort}`);
  const config = { author: "dev@example.com", name, deployment: { url: `http://localhost:${port}` } };
  const registered = await bindu.registerAgent(
    { configJson: JSON.stringify(config), grpcCallbackAddress: `localhost:${await freePort()}` },
    { metadata },
  );
  bindu.close();
  expect(registered).toMatchObject({ success: true });
  return registered.agentId;
}

const underCore = (id: string) => `http://127.0.0.1:${core.http.port}/agents/${id}`;

describe("who may", () => {
  test("a viewer looks at tasks and makes no agent work", async () => {
    const running = await agent("looked-at", async () => "done");
    const viewer = await keyOf("viewer");
    const refused = await post(
      running.url,
      { jsonrpc: "2.0", id: "x", method: "SendMessage", params: says("go") },
      viewer,
    );
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      jsonrpc: "2.0",
      id: "x",
      error: { code: expect.any(Number), data: [{ reason: "PERMISSION_DENIED" }] },
    });
    expect((await rpc(running.url, "CancelTask", { id: "t" }, viewer)).error?.message).toContain("member");
    expect((await rpc(running.url, "ListTasks", {}, viewer)).result).toMatchObject({ tasks: [] });
    expect((await rpc(running.url, "GetTask", { id: "t" }, viewer)).error?.code).toBe(-32001);
    const member = await keyOf("member");
    expect((await rpc(running.url, "SendMessage", says("go"), member)).result?.task?.status.state).toBe(
      "TASK_STATE_COMPLETED",
    );
    await running.stop();
  });

  test("an agent of another workspace is there for that workspace alone, and for others like one that is not", async () => {
    const port = await freePort();
    const mine = await tokenOf("hidden");
    const id = await agentOfAnother("secret", port, mine);
    const theirs = await tokenOf("elsewhere");
    for (const headers of [{}, theirs]) {
      for (const known of [id, "no-such-agent"]) {
        const card = await fetch(`${underCore(known)}/.well-known/agent-card.json`, { headers });
        expect(card.status).toBe(404);
        const call = await post(underCore(known), { jsonrpc: "2.0", id: 1, method: "SendMessage" }, headers);
        expect(call.status).toBe(404);
      }
      const ownListener = await rpc(`http://localhost:${port}`, "SendMessage", says("hello"), headers);
      expect(ownListener.error?.data?.[0]?.reason).toBe("NOT_FOUND");
    }
    const seen = await fetch(`${underCore(id)}/.well-known/agent-card.json`, { headers: mine });
    expect(await seen.json()).toMatchObject({ name: "secret" });
    expect((await fetch(`http://localhost:${port}/.well-known/agent-card.json`)).status).toBe(200);
    expect((await rpc(underCore(id), "SendMessage", says("hello"), mine)).result?.task?.status.state).toBe(
      "TASK_STATE_FAILED",
    );
  });
});

describe("a task", () => {
  test("ends though the client of its stream has gone", async () => {
    const gate = Promise.withResolvers<void>();
    const running = await agent("left-alone", async () => {
      await gate.promise;
      return "late";
    });
    const gone = new AbortController();
    const response = await fetch(running.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: says("go") }),
      signal: gone.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const { result } = JSON.parse(first.replace(/^data: /, "")) as Answer;
    const id = result?.task?.id ?? "";
    gone.abort();
    gate.resolve();
    expect((await ended(running.url, id, "TASK_STATE_COMPLETED")).artifacts?.[0]?.parts[0]?.text).toBe(
      "late",
    );
    await running.stop();
  });

  test("is cancelled at another address than it was sent to, and a late answer does not reach it", async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const running = await agent("cancelled", async (said) => {
      if (said.at(-1)?.content !== "wait") return "next answer";
      begun.resolve();
      await gate.promise;
      return "too late";
    });
    const { id, contextId } = await begin(running.url, "wait");
    await begun.promise;
    const cancelled = await rpc(underCore(running.id), "CancelTask", { id, tenant: "another" });
    expect(cancelled.result).toMatchObject({ contextId, status: { state: "TASK_STATE_CANCELED" } });
    // Turns of a session come one after the other: this one is answered because the cancelled one is over.
    const next = await rpc(running.url, "SendMessage", says("next", { contextId }));
    expect(next.result?.task?.artifacts?.[0]?.parts[0]?.text).toBe("next answer");
    gate.resolve();
    await rpc(running.url, "SendMessage", says("last", { contextId }));
    const after = await taskAt(`http://127.0.0.1:${running.port}`, id);
    expect(after.status.state).toBe("TASK_STATE_CANCELED");
    expect(after.artifacts ?? []).toEqual([]);
    await running.stop();
  });

  test("takes no second message while it works on the first, and each message once into its history", async () => {
    const gate = Promise.withResolvers<void>();
    const ids: string[] = [];
    const running = await agent("one-by-one", async (said, { taskId }) => {
      ids.push(taskId);
      const text = said.at(-1)?.content;
      if (text === "first") await gate.promise;
      return text === "second" ? "both heard" : { state: "input-required", prompt: "And?" };
    });
    const { id } = await begin(running.url, "first");
    const refused = await rpc(running.url, "SendMessage", says("early", { taskId: id }));
    expect(refused.error).toMatchObject({
      code: -32004,
      message: expect.stringContaining("being worked on"),
    });
    const streamed = await rpc(running.url, "SendStreamingMessage", says("early", { taskId: id }));
    expect(streamed.error?.code).toBe(-32004);
    gate.resolve();
    await ended(running.url, id, "TASK_STATE_INPUT_REQUIRED");
    const { result } = await rpc(running.url, "SendMessage", says("second", { taskId: id }));
    expect(result?.task?.status.state).toBe("TASK_STATE_COMPLETED");
    const { history = [] } = await taskAt(running.url, id);
    expect(history.filter(({ role }) => role === "ROLE_USER")).toHaveLength(2);
    expect(new Set(history.map(({ messageId }) => messageId)).size).toBe(history.length);
    expect(ids).toEqual([id, id]);
    await running.stop();
  });

  test("that waits for its user is cancelled with its own context, and lets its bus go", async () => {
    const running = await agent("asks-back", async () => ({ state: "input-required", prompt: "Which?" }));
    const { result } = await rpc(running.url, "SendMessage", says("go"));
    const { id = "", contextId } = result?.task ?? {};
    const subscribed = await post(running.url, {
      jsonrpc: "2.0",
      id: 1,
      method: "SubscribeToTask",
      params: { id },
    });
    // The stream ends by itself: nothing is under way that could add to it.
    expect(await subscribed.text()).toContain("TASK_STATE_INPUT_REQUIRED");
    expect((await rpc(running.url, "CancelTask", { id })).result).toMatchObject({
      contextId,
      status: { state: "TASK_STATE_CANCELED" },
    });
    await running.stop();
  });

  test("carries what the handler noted beside its words", async () => {
    const running = await agent("noting", async (said) =>
      said.at(-1)?.content === "pay"
        ? { state: "payment-required", prompt: "0.01 USDC, please", metadata: { price: "0.01" } }
        : { content: "done", metadata: { took: "1" } },
    );
    const asked = await rpc(running.url, "SendMessage", says("pay"));
    expect(asked.result?.task?.status).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { metadata: { price: "0.01" } },
    });
    const done = await rpc(running.url, "SendMessage", says("go"));
    expect(done.result?.task).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED" },
      metadata: { took: "1" },
    });
    await running.stop();
  });

  test("that a killed core left behind has failed when it is back", async () => {
    const running = await agent("orphan", () => new Promise(() => {}));
    const { id } = await begin(running.url, "go");
    await core.kill9();
    core = await startCoreProcess({ home: core.home, args: ["--grpc-port", String(grpcPort)] });
    const task = await taskAt(running.url, id);
    expect(task.status).toMatchObject({
      state: "TASK_STATE_FAILED",
      message: { parts: [{ text: expect.stringContaining("stopped before") }] },
    });
    const listed = await rpc(running.url, "ListTasks", { status: "TASK_STATE_WORKING" });
    expect(listed.result).toMatchObject({ tasks: [] });
    await running.stop();
  });
});

describe("what is wrong with a request is said in JSON-RPC", () => {
  let running: RunningAgent;
  beforeAll(async () => {
    running = await agent("strict", async () => "ok");
  });
  afterAll(() => running?.stop());

  test.each([
    ["no JSON", "{", 400, -32700],
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "GetTask" }], 400, -32600],
    ["no object", '"text"', 400, -32600],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600],
    ["an unknown method", { jsonrpc: "2.0", id: 1, method: "Nope", params: {} }, 200, -32601],
    [
      "a stream without a message id",
      { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message: { parts: [] } } },
      200,
      -32602,
    ],
    [
      "a subscription to nothing",
      { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: "t" } },
      200,
      -32001,
    ],
    [
      "a page token of our own making",
      { jsonrpc: "2.0", id: 1, method: "ListTasks", params: { pageToken: "x" } },
      200,
      -32602,
    ],
  ])("%s", async (_, body, status, code) => {
    const response = await post(running.url, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });

  test("a credential that does not hold: with the HTTP status and header", async () => {
    const response = await post(
      running.url,
      { jsonrpc: "2.0", id: 3, method: "ListTasks" },
      { authorization: "Bearer no" },
    );
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(await response.json()).toMatchObject({ id: 3, error: { data: [{ reason: "UNAUTHENTICATED" }] } });
  });

  test("a file, which no agent here reads, and no task is made of it", async () => {
    const file = says("look", { parts: [{ text: "look" }, { raw: "aGVsbG8=", mediaType: "image/png" }] });
    expect((await rpc(running.url, "SendMessage", file)).error?.code).toBe(-32005);
    expect((await rpc(running.url, "SendStreamingMessage", file)).error?.code).toBe(-32005);
    expect((await rpc(running.url, "ListTasks", {})).result).toMatchObject({ tasks: [] });
  });

  test("references without end, and none of their words in the log", async () => {
    const many = says("go", { referenceTaskIds: Array.from({ length: 20_000 }, (_, n) => `ref-${n}`) });
    expect((await rpc(running.url, "SendMessage", many)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("at most 32"),
    });
    const few = says("go", { referenceTaskIds: ["shout-from-a-client"] });
    expect((await rpc(running.url, "SendMessage", few)).result?.task?.status.state).toBe(
      "TASK_STATE_COMPLETED",
    );
    expect(core.log()).not.toContain("shout-from-a-client");
  });
});

test("an address where no client could reach the agent is refused with a reason", async () => {
  for (const [url, problem] of [
    [`http://localhost:${await freePort()}/my/agent`, /has a path/],
    ["http://localhost:0", /port 0/],
    [`http://localhost:${grpcPort}`, /the core's own/],
  ] as const) {
    const refused = serveAgent({
      core: `127.0.0.1:${grpcPort}`,
      config: { author: "dev@example.com", name: "unreachable", deployment: { url } },
      handle: async () => "",
    });
    await expect(refused).rejects.toThrow(problem);
  }
});

test("a core that comes back to a port which an agent has taken starts, and the agent waits", async () => {
  const running = await agent("squatter", async () => "ok");
  await core.kill9();
  const args = ["--grpc-port", String(grpcPort), "--http-port", String(running.port)];
  core = await startCoreProcess({ home: core.home, args });
  expect(core.http.port).toBe(running.port);
  const page = await (await fetch(`http://127.0.0.1:${running.port}/`)).text();
  expect(page).toContain(`http://127.0.0.1:${running.port}/api/v1`);
  await running.stop();
});

test("the status page gives the ports that the system chose", async () => {
  await core.kill9();
  core = await startCoreProcess({ home: core.home });
  grpcPort = core.grpc.port;
  const page = await (await fetch(`http://127.0.0.1:${core.http.port}/`)).text();
  expect(page).toContain(`http://127.0.0.1:${core.http.port}/api/v1`);
  expect(page).toContain(`127.0.0.1:${core.grpc.port}`);
  expect(page).not.toContain("127.0.0.1:0");
});

test("every link of the status page leads somewhere", async () => {
  const home = `http://127.0.0.1:${core.http.port}/`;
  const page = await (await fetch(home)).text();
  const links = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => new URL(href ?? "", home).href);
  expect(links).toContain(`${home}openapi.json`);
  expect(links.some((link) => link.endsWith("/agent-card.json"))).toBe(true);
  // An agent on a port of its own may be gone.
  for (const link of links.filter((link) => link.startsWith(home)))
    expect(`${link} ${(await fetch(link)).status}`).toBe(`${link} 200`);
});
