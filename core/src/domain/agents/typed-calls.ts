import type { AgentCapability } from "#domain/contracts/capabilities";
import { invoke } from "#domain/invocations";
import { type Envelope, rpcError } from "#domain/rpc";
import { StoaError } from "#platform/errors";
import type { NativeAgent } from "./agent.ts";
import { callerOf, type NativeDependencies } from "./native/native.ts";
import type { Turns } from "./turns/index.ts";

export interface TypedCallDependencies extends NativeDependencies {
  readonly turns: Turns;
}

/**
 * A native agent answers a call of one of its declared capabilities: by the tool that the capability's skill
 * names, where the agent has it, and otherwise by a turn of its model, whose answer must be the JSON.
 */
export async function answerTypedCall(
  agent: NativeAgent,
  capability: AgentCapability,
  payload: unknown,
  envelope: Envelope,
  signal: AbortSignal,
  deps: TypedCallDependencies,
): Promise<unknown> {
  const context = contextOf(envelope);
  const tool = agent.tools.find(
    (name) => name === capability.skill || name.endsWith(`__${capability.skill}`),
  );
  if (tool === undefined) return answerByTurn(agent, capability, payload, context, signal, deps);
  const outcome = await invoke(
    {
      caller: callerOf(agent, context, deps),
      target: tool,
      args: payload,
      correlationId: deps.nextId(),
      causedBy: envelope.messageId,
      hops: context.hops,
      signal,
    },
    deps.invoke,
  );
  if (outcome.status === "ok") return outcome.result;
  throw outcome.error;
}

async function answerByTurn(
  agent: NativeAgent,
  capability: AgentCapability,
  payload: unknown,
  context: ReturnType<typeof contextOf>,
  signal: AbortSignal,
  deps: TypedCallDependencies,
): Promise<unknown> {
  const message = `Capability ${capability.name}: ${capability.description ?? ""}\nAnswer with JSON only. Request:\n${JSON.stringify(payload)}`;
  const request = {
    ...context,
    agentId: agent.id,
    message,
    systemPrompt: "",
    sessionId: deps.nextId(),
  };
  let text = "";
  for await (const event of deps.turns.run(request, signal)) {
    if (event.type !== "done") continue;
    if (event.error !== undefined) throw event.error;
    text = event.turns.map((turn) => turn.text).join("");
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoaError(
      "AGENT_FAILED",
      `Agent ${agent.id} answered ${capability.name} with text that is not JSON.`,
      {
        cause,
        details: { rpcCode: "EAGENTRPC_HANDLER_ERROR" },
      },
    );
  }
}

function contextOf(envelope: Envelope) {
  const hops = Number(envelope.headers?.["x-stoa-hops"] ?? "1");
  if (!Number.isInteger(hops) || hops < 0)
    throw rpcError("EAGENTRPC_INVALID_ENVELOPE", "The header x-stoa-hops is not a whole number.");
  if (envelope.tenantId === undefined)
    throw rpcError("EAGENTRPC_TENANT_MISMATCH", "The request names no tenantId.");
  return {
    workspaceId: envelope.tenantId,
    userId: envelope.headers?.["x-stoa-user"] ?? envelope.from,
    sessionId: envelope.headers?.["x-stoa-session"] ?? envelope.correlationId,
    hops,
  };
}
