import { fillArguments } from "./fill-arguments.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest, ModelTool, ModelUsage } from "./model.ts";
import { meaningfulWords, roughTokens } from "./words.ts";

/**
 * What answers where no model provider is configured: it matches the words of the message against the tools'
 * names and descriptions, calls the best match, and reports what came back. Deterministic, and honest about
 * what it is.
 */
export function createOfflineModel({ nextId }: { nextId: () => string }): Model {
  return {
    name: "stoa-offline",
    async *generate(request: ModelRequest): AsyncGenerator<ModelEvent> {
      request.signal.throwIfAborted();
      const events = answer(request, nextId);
      yield* events;
      yield { type: "usage", usage: usageOf(request, events) };
    },
  };
}

function answer({ messages, tools }: ModelRequest, nextId: () => string): ModelEvent[] {
  const asked = messages.findLastIndex((message) => message.role === "user");
  const question = messages[asked];
  const text = question?.role === "user" ? question.text : "";
  const results = messages.slice(asked + 1).filter((message) => message.role === "tool");
  if (results.length > 0) return results.map((result) => say(reportOf(result)));

  const tool = bestMatch(text, tools);
  if (tool === undefined) return [say(noMatch(tools))];
  const args = fillArguments(tool.inputSchema, text);
  return [{ type: "tool-call", call: { callId: nextId(), tool: tool.name, args } }];
}

function reportOf({ tool, result, error }: ModelMessage & { role: "tool" }): string {
  if (error) return `${tool} failed: ${inWords(result)}`;
  return `${tool} says: ${inWords(result)}. (No language model is configured: I only match words to tools.)`;
}

/** A JSON value as a person would read it out. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value !== "object" || value === null) return String(value);
  const parts = Object.entries(value).map(([key, each]) => {
    const words = inWords(each);
    return typeof each === "object" && each !== null ? `${key} (${words})` : `${key} ${words}`;
  });
  return parts.join(", ");
}

function noMatch(tools: readonly ModelTool[]): string {
  const lead = "I am Stoa's offline matcher, not a language model, and no tool here fits that message.";
  if (tools.length === 0)
    return `${lead} This agent has no tools; configure a model provider, or give it one.`;
  return `${lead} I can use:\n${tools.map((tool) => `- ${tool.name}: ${tool.description}`).join("\n")}`;
}

/** The tool that shares most words with the message; the first one listed wins a draw, none wins with no word. */
function bestMatch(message: string, tools: readonly ModelTool[]): ModelTool | undefined {
  const asked = new Set(meaningfulWords(message));
  let best: ModelTool | undefined;
  let bestScore = 0;
  for (const tool of tools) {
    const named = new Set(meaningfulWords(tool.name.replaceAll(/[_-]/g, " ")));
    const described = new Set(meaningfulWords(tool.description));
    let score = 0;
    for (const word of asked) score += named.has(word) ? 2 : described.has(word) ? 1 : 0;
    if (score > bestScore) [best, bestScore] = [tool, score];
  }
  return best;
}

function say(text: string): ModelEvent {
  return { type: "text", text };
}

function usageOf(request: ModelRequest, events: readonly ModelEvent[]): ModelUsage {
  const textOf = (message: ModelMessage) =>
    message.role === "tool" ? (JSON.stringify(message.result) ?? "") : message.text;
  const spoken = events.map((event) =>
    event.type === "text" ? event.text : event.type === "tool-call" ? JSON.stringify(event.call.args) : "",
  );
  const tools = request.messages.filter((message) => message.role === "tool");
  return {
    promptTokens:
      roughTokens(request.system) +
      request.messages.reduce((sum, message) => sum + roughTokens(textOf(message)), 0),
    completionTokens: spoken.reduce((sum, text) => sum + roughTokens(text), 0),
    toolUsePromptTokens: tools.reduce((sum, message) => sum + roughTokens(textOf(message)), 0),
    thoughtsTokens: 0,
    cachedTokens: 0,
  };
}
