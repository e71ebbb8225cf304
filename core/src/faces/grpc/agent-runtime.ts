import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  AgentRuntime,
  ConverseEventSchema,
  ConverseRequest,
} from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import type { TurnDone, TurnEvent, TurnRequest, Turns } from "#domain/agents";
import { type Principal, requireRole, requireUser, requireWorkspace } from "#domain/identity";
import { type ErrorCode, StoaError } from "#platform/errors";
import type { CallContext, ServiceImpl } from "#platform/grpc";
import { principalOf } from "./caller.ts";

type Event = MessageInitShape<typeof ConverseEventSchema>;

/** Converse: each request a message, each answered by events that end with exactly one done. */
export function agentRuntimeService({
  turns,
}: {
  turns: Turns;
}): ServiceImpl<typeof AgentRuntime, Principal> {
  return {
    async *converse(requests, ctx) {
      let first: ConverseRequest | undefined;
      for await (const request of requests) {
        // A stream outlives its token: what was valid at its opening is checked again for each message.
        if (first !== undefined) await ctx.reauthenticate();
        first ??= request;
        yield* answer(request, first, turns, ctx);
      }
    },
  };
}

async function* answer(
  request: ConverseRequest,
  first: ConverseRequest,
  turns: Turns,
  ctx: CallContext<Principal>,
): AsyncGenerator<Event> {
  const principal = principalOf(ctx);
  requireRole(principal, "member");
  const turn: TurnRequest = {
    workspaceId: requireWorkspace(principal, request.workspaceId || first.workspaceId),
    userId: requireUser(principal, request.userId || first.userId),
    sessionId: request.sessionId,
    message: request.message,
    agentId: request.agentId,
    systemPrompt: request.systemPrompt,
  };
  for await (const event of turns.run(turn, ctx.signal)) yield toEvent(event);
}

function toEvent(event: TurnEvent): Event {
  switch (event.type) {
    case "chunk":
    case "thinking":
      return { event: { case: event.type, value: { agentId: event.agentId, text: event.text } } };
    case "tool-call": {
      const { agentId, tool, args, callId } = event;
      return {
        event: { case: "toolCall", value: { agentId, tool, argsJson: JSON.stringify(args), callId } },
      };
    }
    case "tool-result": {
      const { callId, result, error } = event;
      const value = {
        callId,
        resultJson: JSON.stringify(result ?? null),
        error: error !== undefined,
        errorMessage: error?.message ?? "",
      };
      return { event: { case: "toolResult", value } };
    }
    case "usage": {
      const { agentId, model, usage, sequence } = event;
      const totalTokens = usage.promptTokens + usage.completionTokens + usage.thoughtsTokens;
      return {
        event: { case: "usage", value: { agentId, model, ...usage, totalTokens, callSequence: sequence } },
      };
    }
    case "done":
      return {
        event: {
          case: "done",
          value: { model: modelOf(event), turns: event.turns.map((turn) => ({ ...turn })) },
        },
      };
  }
}

/** Clients of the published contract read a failure from the model's name; the form is theirs. */
function modelOf({ model, error }: TurnDone): string {
  return error === undefined ? model : `ERROR: ${codeName(error.code)}: ${error.message}`;
}

/** Code names as gRPC libraries print them: INVALID_ARGUMENT is InvalidArgument. */
function codeName(code: ErrorCode): string {
  const { grpc } = new StoaError(code, "").entry;
  return grpc
    .toLowerCase()
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
