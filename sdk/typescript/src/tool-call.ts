import type { InvokeRequest } from "@stoa/proto/capability_pb";

export interface ToolContext {
  /** Credentials and other settings, as declared in the manifest. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/**
 * A tool: arguments in, a JSON value out. An async generator's result is the list of what it yields, which a
 * streaming caller gets as it comes. What a tool throws becomes its error.
 */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => unknown;

/** Runs the tool. The texts it yields, put together, are the JSON of the result. */
export async function* callTool(
  tools: Readonly<Record<string, ToolHandler>>,
  request: Pick<InvokeRequest, "toolName" | "argsJson" | "configJson" | "sessionId" | "threadId">,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { toolName, argsJson, configJson, sessionId, threadId } = request;
  const handler = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  if (handler === undefined) throw new Error(`unknown tool ${JSON.stringify(toolName)}`);
  const result = await handler(parse(argsJson), { config: parse(configJson), sessionId, threadId, signal });
  if (!isAsyncIterable(result)) {
    yield toJson(result);
    return;
  }
  let before = "[";
  for await (const item of result) {
    yield before + toJson(item);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

/** Never empty: in a response, an empty error means that all went well. */
export function errorText(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)) || "the tool failed and did not say why";
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  return bytes.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
