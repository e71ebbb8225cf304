import type { BinduService } from "@stoa/proto/agent_handler_pb";
import type { AgentRegistry } from "#domain/agents";
import { hasRole, type Principal, requireRole } from "#domain/identity";
import { StoaError } from "#platform/errors";
import type { CallContext, ServiceImpl } from "#platform/grpc";
import { principalOf } from "./caller.ts";

/** How agents come and go. Its failures travel in the response, as its clients expect, and never as a status. */
export function binduService({
  registry,
  clock,
}: {
  registry: AgentRegistry;
  clock: () => number;
}): ServiceImpl<typeof BinduService, Principal> {
  return {
    async registerAgent({ configJson, skills, grpcCallbackAddress }, ctx) {
      try {
        const principal = principalOf(ctx);
        requireRole(principal, "member");
        const agent = await registry.register({
          configJson,
          skills: skills.map(({ $typeName: _type, $unknown: _unknown, ...skill }) => skill),
          callbackAddress: grpcCallbackAddress,
          workspaceId: principal.workspaceId,
          owner: ownerOf(principal),
        });
        return { success: true, agentId: agent.id, did: agent.did, agentUrl: agent.url };
      } catch (thrown) {
        return { success: false, error: failure(thrown, "Registration failed: ", ctx) };
      }
    },
    async heartbeat({ agentId }, ctx) {
      const principal = principalOf(ctx);
      const acknowledged =
        hasRole(principal, "member") && (await registry.heartbeat(agentId, principal.workspaceId));
      return { acknowledged, serverTimestamp: BigInt(clock()) };
    },
    async unregisterAgent({ agentId }, ctx) {
      try {
        const principal = principalOf(ctx);
        requireRole(principal, "member");
        await registry.unregister(agentId, ownerOf(principal));
        return { success: true };
      } catch (thrown) {
        return { success: false, error: failure(thrown, "", ctx) };
      }
    },
  };
}

/** Keys of one user are one owner: an SDK that gets a new key still owns its agents. */
function ownerOf({ workspaceId, userId }: Principal): string {
  return `${workspaceId}/${userId}`;
}

function failure(thrown: unknown, prefix: string, ctx: CallContext<Principal>): string {
  const error = StoaError.from(thrown);
  if (error.code === "INTERNAL") ctx.log.error({ err: error }, "call failed");
  const said = error.message.startsWith("Invalid config_json") || error.message.startsWith(prefix);
  return said ? error.message : `${prefix}${error.message}`;
}
