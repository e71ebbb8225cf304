import { Memory } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { AgentRuntime, type ConverseEvent } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { type RunningAgent, serveAgent } from "@stoa/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createGrpcClient } from "../../core/src/platform/grpc/index.ts";
import { describeWith } from "../services/index.ts";
import { type CoreProcess, startCoreProcess } from "./core-process.ts";
import { freePort } from "./ports.ts";

/**
 * The walk of docs/architecture.md in one core: a message over Converse to a native agent and its tool, to a
 * registered agent, to a typed call between agents; and the ledger at the end.
 */
function walk(environment: () => Promise<Record<string, string>>): void {
  let core: CoreProcess;
  let runtime: Client<typeof AgentRuntime>;
  let token: string;
  let agent: RunningAgent;

  beforeAll(async () => {
    core = await startCoreProcess({ env: await environment() });
    runtime = createGrpcClient(AgentRuntime, address());
    const minted = await core.cli("token", "mint", "--user", "ada", "--workspace", "default");
    expect(minted).toMatchObject({ code: 0 });
    token = minted.stdout.trim();
    agent = await serveAgent({
      core: address(),
      config: {
        author: "dev@example.com",
        name: "echo",
        description: "Says it again.",
        deployment: { url: `http://localhost:${await freePort()}` },
      },
      skills: [{ name: "echo", description: "Repeats what it hears", tags: ["demo"] }],
      handle: async (messages) => `echo: ${messages.at(-1)?.content} (${messages.length} messages)`,
    });
  });

  afterAll(async () => {
    await agent?.stop();
    runtime?.close();
    await core?.stop();
  });

  const address = () => `127.0.0.1:${core.grpc.port}`;
  const authorized = () => ({ metadata: { authorization: `Bearer ${token}` } });

  async function converse(
    ...requests: { sessionId: string; message: string; agentId?: string }[]
  ): Promise<ConverseEvent["event"][]> {
    async function* stream() {
      yield* requests;
    }
    const events: ConverseEvent["event"][] = [];
    for await (const { event } of runtime.converse(stream(), authorized())) events.push(event);
    return events;
  }

  test("a message goes to the native agent, which calls its tool", async () => {
    const events = await converse({
      sessionId: "s1",
      message: 'How many words are in "know thyself and be free"?',
    });
    expect(events.map((event) => event.case)).toEqual([
      "toolCall",
      "toolResult",
      "chunk",
      "usage",
      "usage",
      "done",
    ]);
    const call = only(events, "toolCall");
    expect(call).toMatchObject({
      agentId: "assistant",
      tool: "text-tools__count_words",
      argsJson: '{"text":"know thyself and be free"}',
    });
    const result = only(events, "toolResult");
    expect(result).toMatchObject({ error: false, callId: call.callId });
    expect(JSON.parse(result.resultJson)).toMatchObject({ words: 5 });
    const chunk = only(events, "chunk");
    expect(chunk).toMatchObject({
      agentId: "assistant",
      text: expect.stringContaining("No language model is configured"),
    });
    expect(only(events, "done")).toMatchObject({
      model: "stoa-offline",
      turns: [{ agentId: "assistant", text: chunk.text }],
    });
  });

  test("a message goes to a registered agent by its id, and its session remembers", async () => {
    const events = await converse(
      { sessionId: "s2", message: "hello", agentId: agent.id },
      { sessionId: "s2", message: "again" },
    );
    expect(events.map((event) => event.case)).toEqual(["chunk", "done", "chunk", "done"]);
    expect(events[0]?.value).toMatchObject({ agentId: agent.id, text: "echo: hello (1 messages)" });
    // No agent is named the second time: it goes to whoever answered last.
    expect(events[2]?.value).toMatchObject({ agentId: agent.id, text: "echo: again (3 messages)" });
  });

  test("the registered agent answers over A2A 1.0 on its own listener", async () => {
    const card = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as {
      name: string;
      supportedInterfaces: object[];
    };
    expect(card).toMatchObject({
      name: "echo",
      supportedInterfaces: [{ protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    });
    const answer = await rpc(agent.url, "SendMessage", {
      message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "over A2A" }] },
    });
    expect(answer).toMatchObject({
      result: {
        task: {
          status: { state: "TASK_STATE_COMPLETED" },
          artifacts: [{ parts: [{ text: "echo: over A2A (1 messages)" }] }],
        },
      },
    });
    const task = (answer as { result: { task: { id: string } } }).result.task;
    expect(await rpc(agent.url, "GetTask", { id: task.id })).toMatchObject({ result: { id: task.id } });
  });

  test("a message leads to a typed call of another agent, checked on both sides", async () => {
    const events = await converse({ sessionId: "s3", message: "Please recommend a book about stoicism" });
    const result = only(events, "toolResult");
    expect(JSON.parse(result.resultJson)).toMatchObject({
      status: "ok",
      response: { title: "Meditations" },
    });
  });

  test("a request that breaks the schema does not leave the caller, and the violation is the contract's", async () => {
    const events = await converse({ sessionId: "s4", message: "Please recommend a book about cooking" });
    const result = only(events, "toolResult");
    expect(result).toMatchObject({ error: true });
    expect(JSON.parse(result.resultJson)).toMatchObject({
      status: "schema-violation",
      schemaSide: "request",
      violations: [{ path: "/subject", message: 'missing required property "subject"' }],
      error: { code: "EAGENTRPC_SCHEMA_VIOLATION" },
    });
  });

  test("memory keeps what it is told", async () => {
    const memory = createGrpcClient(Memory, address());
    await memory.createMemory(
      { workspaceId: "default", key: "colour", content: "blue", category: "core" },
      authorized(),
    );
    const { entries } = await memory.listMemories({ workspaceId: "default" }, authorized());
    expect(entries).toMatchObject([{ key: "colour", content: "blue", category: "core" }]);
    memory.close();
  });

  test("the ledger has all of it", async () => {
    const audit = await core.cli("audit", "query", "--json");
    expect(audit).toMatchObject({ code: 0, stderr: "" });
    const { entries } = JSON.parse(audit.stdout) as { entries: { record: { kind: string } }[] };
    const records = entries.map(({ record }) => record);
    const kinds = new Set(records.map((record) => record.kind));
    for (const kind of ["registration", "invocation", "capability_schema_violation"])
      expect(kinds).toContain(kind);
    expect(records.find((record) => record.kind === "capability_schema_violation")).toMatchObject({
      capabilityName: "recommend-book",
      peerId: "agent://librarian",
      side: "request",
      tenantId: "default",
      sessionId: "s4",
      violations: [{ path: "/subject", message: 'missing required property "subject"' }],
    });
  });

  test("and it verifies", async () => {
    expect(await core.cli("audit", "verify")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("verified"),
    });
  });

  test("no token, a wrong one, and one for another workspace are refused", async () => {
    const call = (metadata: Record<string, string>, workspaceId = "") =>
      Array.fromAsync(
        runtime.converse(
          (async function* () {
            yield { sessionId: "s", message: "hi", workspaceId };
          })(),
          { metadata },
        ),
      );
    await expect(call({})).rejects.toMatchObject({ details: { grpcStatus: "UNAUTHENTICATED" } });
    await expect(call({ authorization: "Bearer x.y" })).rejects.toMatchObject({
      details: { grpcStatus: "UNAUTHENTICATED" },
    });
    await expect(call({ authorization: `Bearer ${token}` }, "other")).rejects.toMatchObject({
      details: { grpcStatus: "PERMISSION_DENIED" },
    });
  });
}

describe("on embedded SQLite, with nothing but Node", () => walk(async () => ({})));

describeWith(["postgres", "nats"], "on PostgreSQL and NATS", (services) =>
  walk(async () => ({
    DATABASE_URL: (await services.postgres()).url,
    NATS_URL: (await services.nats()).url,
  })),
);

type Event = ConverseEvent["event"];
type ValueOf<Case> = Extract<Event, { case: Case }>["value"];

/** The one event of this kind; more or fewer fail the test. */
function only<Case extends NonNullable<Event["case"]>>(events: Event[], kind: Case): ValueOf<Case> {
  const found = events.filter((event) => event.case === kind);
  expect(found, `events of kind ${kind}`).toHaveLength(1);
  return found[0]?.value as ValueOf<Case>;
}

async function rpc(url: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.json();
}
