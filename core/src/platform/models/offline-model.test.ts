import { expect, test } from "vitest";
import type { ModelEvent, ModelMessage, ModelTool } from "./index.ts";
import { createOfflineModel } from "./index.ts";

const tools: ModelTool[] = [
  {
    name: "text-tools__count_words",
    description: "Count the words of a text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  {
    name: "request_agent__librarian__recommend-book",
    description: "Recommend a book about a subject.",
    inputSchema: {
      type: "object",
      properties: { subject: { enum: ["stoicism", "seafaring"] } },
      required: ["subject"],
    },
  },
];

async function ask(messages: ModelMessage[], offered = tools): Promise<ModelEvent[]> {
  const model = createOfflineModel({ nextId: () => "call-1" });
  return Array.fromAsync(
    model.generate({ system: "", messages, tools: offered, signal: new AbortController().signal }),
  );
}

test("calls the tool whose words the message shares, with the quoted text as its argument", async () => {
  const [call] = await ask([{ role: "user", text: 'How many words are in "to be or not"?' }]);
  expect(call).toEqual({
    type: "tool-call",
    call: { callId: "call-1", tool: "text-tools__count_words", args: { text: "to be or not" } },
  });
});

test("takes an enum's value where the message names it, and leaves it out where not", async () => {
  const [named] = await ask([{ role: "user", text: "Recommend a book about Stoicism" }]);
  expect(named).toMatchObject({ call: { args: { subject: "stoicism" } } });
  const [unnamed] = await ask([{ role: "user", text: "Recommend a book about cooking" }]);
  expect(unnamed).toMatchObject({ call: { args: {} } });
});

test("says what it is and what it can do where no tool fits", async () => {
  const [said] = await ask([{ role: "user", text: "Sing!" }]);
  expect(said).toMatchObject({ type: "text" });
  expect(said).toHaveProperty("text", expect.stringContaining("not a language model"));
  expect(said).toHaveProperty("text", expect.stringContaining("text-tools__count_words"));
});

test("reports a tool's result instead of calling again, and a failure as a failure", async () => {
  const asked: ModelMessage = { role: "user", text: "count the words" };
  const ok = await ask([asked, { role: "tool", callId: "c", tool: "t", result: { words: 4 }, error: false }]);
  expect(ok[0]).toHaveProperty("text", expect.stringContaining("words 4"));
  const bad = await ask([asked, { role: "tool", callId: "c", tool: "t", result: "no disk", error: true }]);
  expect(bad[0]).toHaveProperty("text", expect.stringContaining("failed: no disk"));
});

test("ends each round with one usage, with tokens counted", async () => {
  const events = await ask([{ role: "user", text: "count the words of this" }]);
  const usages = events.filter((event) => event.type === "usage");
  expect(usages).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "usage", usage: { promptTokens: 5 } });
});

test("a schema's own names cannot reach the prototype", async () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  );
  const [call] = await ask(
    [{ role: "user", text: 'evil "x"' }],
    [{ name: "evil", description: "evil", inputSchema: schema }],
  );
  const args = call?.type === "tool-call" ? (call.call.args as object) : {};
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect(Object.hasOwn(args, "__proto__")).toBe(true);
});
