import {
  type Caller,
  type InvocationOutcome,
  type InvokeDependencies,
  invoke,
  toRequestAgentResult,
} from "#domain/invocations";
import { isAgentTarget } from "#domain/rpc";
import { StoaError } from "#platform/errors";
import type { Model, ModelMessage, ModelToolCall } from "#platform/models";
import type { NativeAgent } from "../agent.ts";
import type { AgentAnswer, OpenTurn, TurnEvent } from "../turns/index.ts";
import { allowedTargets, type ToolboxDependencies, toolsOf } from "./toolbox.ts";

export interface NativeDependencies extends ToolboxDependencies {
  readonly model: Model;
  readonly invoke: InvokeDependencies;
  readonly nextId: () => string;
}

/** No turn asks the model more often than this; a model that calls tools for ever is stopped. */
const roundLimit = 24;

/** The loop of a native agent: ask the model, run what it calls, ask again, until it only speaks. */
export async function* answerNatively(
  agent: NativeAgent,
  turn: OpenTurn,
  deps: NativeDependencies,
): AsyncGenerator<TurnEvent, AgentAnswer> {
  const { model } = deps;
  const tools = toolsOf(agent, deps);
  const messages = conversation(turn);
  const caller = callerOf(agent, turn.request, deps);
  let text = "";
  for (let round = 1; round <= roundLimit; round++) {
    const calls: ModelToolCall[] = [];
    let spoken = "";
    const system = turn.request.systemPrompt || agent.prompt;
    for await (const event of model.generate({ system, messages, tools, signal: turn.signal })) {
      turn.signal.throwIfAborted();
      if (event.type === "text") {
        spoken += event.text;
        yield { type: "chunk", agentId: agent.id, text: event.text };
      } else if (event.type === "thinking") yield { type: "thinking", agentId: agent.id, text: event.text };
      else if (event.type === "tool-call") calls.push(event.call);
      else yield { type: "usage", agentId: agent.id, model: model.name, usage: event.usage, sequence: round };
    }
    text += spoken;
    if (calls.length === 0) return { state: "completed", model: model.name, text };
    messages.push({ role: "assistant", text: spoken, toolCalls: calls });
    for (const call of calls) messages.push(yield* runTool(agent, caller, call, turn, deps));
  }
  throw new StoaError(
    "FAILED_PRECONDITION",
    `The model asked for tools ${roundLimit} times in one turn and was stopped.`,
  );
}

async function* runTool(
  agent: NativeAgent,
  caller: Caller,
  { callId, tool, args }: ModelToolCall,
  turn: OpenTurn,
  deps: NativeDependencies,
): AsyncGenerator<TurnEvent, ModelMessage> {
  // On disk before it runs: after a crash the log tells a call that was under way from one that never began.
  await turn.steps.append("tool-call", { callId, tool, args });
  yield { type: "tool-call", agentId: agent.id, tool, args, callId };
  const outcome = await invoke(
    {
      caller,
      target: tool,
      args,
      correlationId: deps.nextId(),
      causedBy: turn.id,
      hops: turn.request.hops ?? 0,
      signal: turn.signal,
      alongside: ({ status }) => [turn.steps.statement("tool-result", { callId, status })],
    },
    deps.invoke,
  );
  turn.signal.throwIfAborted();
  const result = resultFor(tool, outcome);
  const error = outcome.status === "ok" ? undefined : outcome.error;
  yield { type: "tool-result", callId, result, ...(error === undefined ? {} : { error }) };
  // The model is told what came back or what went wrong; ids and latencies are not for it.
  if (outcome.status === "ok") return { role: "tool", callId, tool, result: outcome.result, error: false };
  return { role: "tool", callId, tool, result: outcome.error.message, error: true };
}

/** A call of another agent gives the contract's own result, violations included; a tool gives what it returned. */
function resultFor(tool: string, outcome: InvocationOutcome): unknown {
  if (isAgentTarget(tool)) return toRequestAgentResult(outcome);
  return outcome.status === "ok" ? outcome.result : null;
}

function conversation({ history, request }: OpenTurn): ModelMessage[] {
  const past = history.flatMap(({ message, answer }): ModelMessage[] => [
    { role: "user", text: message },
    { role: "assistant", text: answer },
  ]);
  return [...past, { role: "user", text: request.message }];
}

export function callerOf(agent: NativeAgent, request: CallerContext, deps: ToolboxDependencies): Caller {
  const allowed = allowedTargets(agent, deps);
  return {
    workspaceId: request.workspaceId,
    userId: request.userId,
    agentId: agent.id,
    sessionId: request.sessionId,
    mayUse: (target) => allowed.has(target),
    policies: agent.policies,
  };
}

type CallerContext = Pick<OpenTurn["request"], "workspaceId" | "userId" | "sessionId">;
