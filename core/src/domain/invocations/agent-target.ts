import { type DeclaredCapability, rpcError, sendRequest } from "#domain/rpc";
import type { Bus } from "#platform/bus";
import type { Target } from "./target.ts";

export const hopLimit = 8;
const defaultTimeoutMs = 30_000;

export interface AgentTargetDependencies {
  readonly bus: Bus;
  readonly clock: () => number;
  readonly nextId: () => string;
}

/** A capability of another agent of the fleet. That the caller lists it as a peer is the permission. */
export function agentTarget(
  { target, config, capability }: DeclaredCapability,
  deps: AgentTargetDependencies,
): Target {
  const peerId = `agent://${config.agentId}`;
  return {
    kind: "agent",
    name: target,
    peerId,
    capabilityName: capability.name,
    policy: { policy: "allow", decidedBy: "agent" },
    checkArguments: (args) => capability.input?.validate(args) ?? [],
    checkResult: (result) => capability.output?.validate(result) ?? [],
    credentials: async () => ({}),
    dispatch(payload, _credentials, call) {
      if (call.hops >= hopLimit) {
        throw rpcError(
          "EAGENTRPC_HOP_LIMIT",
          `The call has passed through ${call.hops} agents, and the limit is ${hopLimit}.`,
        );
      }
      const timeoutMs = call.timeoutMs ?? capability.timeoutMs ?? defaultTimeoutMs;
      return sendRequest(
        deps.bus,
        config,
        {
          version: 1,
          kind: "request",
          messageId: deps.nextId(),
          correlationId: call.correlationId,
          ...(call.causedBy === undefined ? {} : { causedBy: call.causedBy }),
          from: `agent://${call.caller.agentId}`,
          to: peerId,
          capability: capability.name,
          deadline: deps.clock() + timeoutMs,
          tenantId: call.caller.workspaceId,
          headers: {
            "x-stoa-hops": String(call.hops + 1),
            "x-stoa-user": call.caller.userId,
            "x-stoa-session": call.caller.sessionId,
          },
          payload,
        },
        { timeoutMs, signal: call.signal },
      );
    },
  };
}
