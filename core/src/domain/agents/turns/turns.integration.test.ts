import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { onBothDatabases } from "../../../../../test/databases.ts";
import type { Agent, NativeAgent } from "../agent.ts";
import {
  type AgentAnswer,
  type OpenTurn,
  type TurnEvent,
  TurnLog,
  type TurnRequest,
  Turns,
} from "./index.ts";

const agents = new Map(
  ["a", "b"].map((id): [string, NativeAgent] => [
    id,
    { kind: "native", id, name: id, description: "", prompt: "", tools: [], peers: [], policies: new Map() },
  ]),
);
const log = createLogger({ level: "silent", format: "json" });
const never = new AbortController().signal;

onBothDatabases("turns", (store) => {
  type Answer = (agent: Agent, turn: OpenTurn) => AsyncGenerator<TurnEvent, AgentAnswer>;

  function turnsWith(answer: Answer): Turns {
    return new Turns({
      log,
      turnLog: new TurnLog(store(), Date.now),
      nextId: randomUUID,
      findAgent: (id) => agents.get(id),
      manager: () => "a",
      answer,
    });
  }

  const says = (text: (turn: OpenTurn) => string): Answer =>
    async function* (agent, turn) {
      yield { type: "chunk", agentId: agent.id, text: text(turn) };
      return { state: "completed", model: "m", text: text(turn) };
    };

  const request = (sessionId: string, message: string, agentId = ""): TurnRequest => ({
    workspaceId: "w",
    userId: "u",
    sessionId,
    message,
    agentId,
    systemPrompt: "",
  });
  const rowsOf = (sessionId: string) =>
    store().db.selectFrom("turns").selectAll().where("session_id", "=", sessionId).orderBy("seq").execute();

  test("a message that names no agent goes to the manager, then to whoever answered last", async () => {
    const turns = turnsWith(says(() => "hi"));
    const answeredBy = async (agentId: string) => {
      const events = await Array.fromAsync(turns.run(request("routing", "x", agentId), never));
      return events.find((event) => event.type === "chunk")?.agentId;
    };
    expect(await answeredBy("")).toBe("a");
    expect(await answeredBy("b")).toBe("b");
    expect(await answeredBy("")).toBe("b");
  });

  test("turns of one session run one after the other and see what was said before", async () => {
    let running = 0;
    let most = 0;
    const turns = turnsWith(async function* (agent, turn) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      yield { type: "chunk", agentId: agent.id, text: "" };
      return { state: "completed", model: "m", text: `${turn.request.message} after ${turn.history.length}` };
    });
    const run = (message: string) => Array.fromAsync(turns.run(request("serial", message), never));
    await Promise.all(["1", "2", "3", "4"].map(run));
    expect(most).toBe(1);
    expect((await rowsOf("serial")).map(({ seq, answer }) => [seq, answer])).toEqual([
      [1, "1 after 0"],
      [2, "2 after 1"],
      [3, "3 after 2"],
      [4, "4 after 3"],
    ]);
  });

  test.each([
    ["an empty message", request("s", "  "), "INVALID_ARGUMENT"],
    ["an empty session", request("", "x"), "INVALID_ARGUMENT"],
    ["a session with control characters", request("a\u0007", "x"), "INVALID_ARGUMENT"],
    ["a NUL in the message", request("s", "a\u0000"), "INVALID_ARGUMENT"],
    ["a message too long in bytes", request("s", "字".repeat(400_000)), "INVALID_ARGUMENT"],
    [
      "a prompt too long",
      { ...request("s", "x"), systemPrompt: "x".repeat(1024 * 1024 + 1) },
      "INVALID_ARGUMENT",
    ],
    ["an unknown agent", request("s", "x", "nobody"), "NOT_FOUND"],
  ])("%s ends in a done event that says so", async (_what, bad, code) => {
    const events = await Array.fromAsync(turnsWith(says(() => "hi")).run(bad, never));
    expect(events).toMatchObject([{ type: "done", state: "failed", turns: [], error: { code } }]);
  });

  test("a failure closes the turn in the log, and a stranger's error does not leak", async () => {
    const turns = turnsWith(async function* () {
      yield* [];
      throw new Error("password=hunter2");
    });
    const events = await Array.fromAsync(turns.run(request("failing", "x"), never));
    expect(events).toMatchObject([{ type: "done", state: "failed", error: { code: "INTERNAL" } }]);
    expect(JSON.stringify(events) + String((events[0] as { error: Error }).error.message)).not.toContain(
      "hunter2",
    );
    expect(await rowsOf("failing")).toMatchObject([{ status: "failed", answer: null }]);
  });

  test("a caller who leaves in the middle closes the turn, and the session goes on", async () => {
    const turns = turnsWith(says(() => "hi"));
    for await (const event of turns.run(request("leaving", "x"), never)) if (event.type === "chunk") break;
    expect(await rowsOf("leaving")).toMatchObject([{ status: "failed" }]);
    const events = await Array.fromAsync(turns.run(request("leaving", "y"), never));
    expect(events.at(-1)).toMatchObject({ type: "done", state: "completed" });
  });

  test("turns under way when the core died are marked when it starts again", async () => {
    const longest = 600_000;
    const open = (session: string, at: number) =>
      new TurnLog(store(), () => at).open(randomUUID(), "a", request(session, "x"));
    await open("crashed", Date.now() - longest - 1);
    await open("recent", Date.now());
    await new TurnLog(store(), Date.now).markInterrupted(longest);
    expect(await rowsOf("crashed")).toMatchObject([{ status: "interrupted" }]);
    // On a shared database a recent one may be another core's, and under way.
    const status = store().dialect === "sqlite" ? "interrupted" : "running";
    expect(await rowsOf("recent")).toMatchObject([{ status }]);
  });

  test("usage is told before the done, also where the turn fails", async () => {
    const usage = {
      promptTokens: 1,
      completionTokens: 1,
      toolUsePromptTokens: 0,
      thoughtsTokens: 0,
      cachedTokens: 0,
    };
    const failing = turnsWith(async function* (agent) {
      yield { type: "usage", agentId: agent.id, model: "m", usage, sequence: 1 };
      yield { type: "chunk", agentId: agent.id, text: "well," };
      throw new StoaError("MODEL_FAILED", "away");
    });
    const events = await Array.fromAsync(failing.run(request("usage", "x"), never));
    expect(events.map(({ type }) => type)).toEqual(["chunk", "usage", "done"]);
  });

  test("an answer with a NUL is kept without it", async () => {
    const [, done] = await Array.fromAsync(turnsWith(says(() => "a\u0000b")).run(request("nul", "x"), never));
    expect(done).toMatchObject({ type: "done", state: "completed" });
    expect(await rowsOf("nul")).toMatchObject([{ status: "completed", answer: "a\uFFFDb" }]);
  });

  test("an error of ours keeps its code and message", async () => {
    const turns = turnsWith(async function* () {
      yield* [];
      throw new StoaError("MODEL_FAILED", "the provider is away");
    });
    const [done] = await Array.fromAsync(turns.run(request("model", "x"), never));
    expect(done).toMatchObject({ error: { code: "MODEL_FAILED", message: "the provider is away" } });
  });
});
