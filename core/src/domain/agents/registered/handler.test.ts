import { AgentHandler } from "@stoa/proto/agent_handler_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGrpcHost } from "#platform/grpc";
import { createLogger } from "#platform/log";
import { HandlerConnection } from "./handler.ts";

const log = createLogger({ level: "silent", format: "json" });
const host = createGrpcHost({ host: "127.0.0.1", port: 0, log });
let agent: HandlerConnection;

beforeAll(async () => {
  host.add(AgentHandler, {
    handleMessages: ({ messages }) => ({ content: "ü".repeat(Number(messages[0]?.content)) }),
    async *handleMessagesStream() {},
    getCapabilities: () => ({}),
    healthCheck: () => ({ healthy: true }),
  });
  await host.listen();
  agent = new HandlerConnection(`127.0.0.1:${host.port}`, log);
});
afterAll(async () => {
  agent.close();
  await host.drain(0);
});

function ask(connection: HandlerConnection, content: string) {
  const request = { messages: [{ role: "user" as const, content }], taskId: "t", contextId: "c" };
  return connection.handle(request, { timeoutMs: 20_000, signal: new AbortController().signal });
}

test("an answer of 1 MiB is passed on, a longer one is the agent's failure", async () => {
  const letters = 512 * 1024;
  expect((await ask(agent, String(letters))).text).toHaveLength(letters);
  await expect(ask(agent, String(letters + 1))).rejects.toMatchObject({
    code: "AGENT_FAILED",
    message: "The agent's answer has 1048578 bytes; at most 1048576 are passed on.",
  });
});

test("an answer larger than a message is the agent's failure too", async () => {
  await expect(ask(agent, String(3 * 1024 * 1024))).rejects.toMatchObject({ code: "AGENT_FAILED" });
});

test("where the agent cannot be reached, its address is not told", async () => {
  const nobody = new HandlerConnection("127.0.0.1:1", log);
  await expect(ask(nobody, "1")).rejects.toMatchObject({
    code: "AGENT_FAILED",
    message: "The agent could not be reached.",
  });
  nobody.close();
});
