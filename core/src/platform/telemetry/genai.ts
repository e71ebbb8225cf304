/**
 * OpenTelemetry's names for generative AI are still in development and change between releases: they are
 * written here and nowhere else.
 */
export const operations = {
  chat: "chat",
  invokeAgent: "invoke_agent",
  executeTool: "execute_tool",
} as const;

export const attributes = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  agentId: "gen_ai.agent.id",
  agentName: "gen_ai.agent.name",
  conversationId: "gen_ai.conversation.id",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  errorType: "error.type",
} as const;

/** A span is called after what is done and to whom: `execute_tool get_weather`. */
export function spanName(operation: (typeof operations)[keyof typeof operations], target: string): string {
  return target === "" ? operation : `${operation} ${target}`;
}
