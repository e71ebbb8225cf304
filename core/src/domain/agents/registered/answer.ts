import type { RegisteredAgent } from "../agent.ts";
import type { AgentAnswer, OpenTurn, TurnEvent } from "../turns/index.ts";
import type { ChatMessage } from "./handler.ts";
import type { AgentRegistry } from "./registry.ts";

export interface RegisteredDependencies {
  readonly registry: AgentRegistry;
  readonly handlerTimeoutMs: number;
}

/** Hands the conversation to the agent's own handler and passes on what it answers. */
export async function* answerByHandler(
  agent: RegisteredAgent,
  turn: OpenTurn,
  { registry, handlerTimeoutMs }: RegisteredDependencies,
): AsyncGenerator<TurnEvent, AgentAnswer> {
  const { request, history, signal } = turn;
  const messages: ChatMessage[] = history.flatMap(({ message, answer }): ChatMessage[] => [
    { role: "user", content: message },
    { role: "assistant", content: answer },
  ]);
  if (request.systemPrompt !== "") messages.unshift({ role: "system", content: request.systemPrompt });
  messages.push({ role: "user", content: request.message });
  await turn.steps.append("handler-call", { agentId: agent.id });
  const answer = await registry
    .connection(agent)
    .handle(
      { messages, taskId: request.taskId ?? turn.id, contextId: request.sessionId },
      { timeoutMs: handlerTimeoutMs, signal },
    );
  await turn.steps.append("handler-result", { state: answer.state, metadata: answer.metadata });
  if (answer.text !== "") yield { type: "chunk", agentId: agent.id, text: answer.text };
  return { state: answer.state, model: `agent:${agent.name}`, text: answer.text, metadata: answer.metadata };
}
