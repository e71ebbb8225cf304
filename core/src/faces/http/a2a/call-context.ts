import { ServerCallContext } from "@a2a-js/sdk/server";
import type { Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";

/** Who calls which agent. */
export interface Call {
  readonly principal: Principal;
  readonly agentId: string;
}

const callKey = "stoa.call";

/** The SDK's notion of a call, with ours in it. */
export function contextFor(call: Call, requestedVersion: string): ServerCallContext {
  const { workspaceId, userId } = call.principal;
  return new ServerCallContext({
    user: { isAuthenticated: true, userName: `${workspaceId}/${userId}` },
    requestedVersion,
    state: new Map([[callKey, call]]),
  });
}

export function callIn(context: ServerCallContext): Call {
  const call = context.state.get(callKey);
  if (call === undefined) throw new StoaError("INTERNAL", "An A2A call came without its caller.");
  return call as Call;
}
