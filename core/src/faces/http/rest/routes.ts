import type { FastifyInstance } from "fastify";
import { type Principal, requireRole } from "#domain/identity";
import { type Caller, type InvokeDependencies, invoke, toRequestAgentResult } from "#domain/invocations";
import { targetName } from "#domain/rpc";
import { principalOf } from "./principal.ts";
import { type StatusDependencies, statusReport } from "./status.ts";

export interface RestDependencies extends StatusDependencies {
  readonly invoke: InvokeDependencies;
  readonly nextId: () => string;
}

interface RequestAgentBody {
  readonly to: string;
  readonly capability: string;
  readonly payload?: unknown;
  readonly timeoutMs?: number;
}

const requestAgentSchema = {
  tags: ["agents"],
  summary: "Call a capability that an agent declares",
  body: {
    type: "object",
    required: ["to", "capability"],
    additionalProperties: false,
    properties: {
      to: { type: "string", minLength: 1, maxLength: 256, description: "The agent: an id, or agent://id." },
      capability: { type: "string", minLength: 1, maxLength: 256 },
      payload: { description: "Checked against the capability's inputSchema." },
      timeoutMs: { type: "integer", minimum: 1, maximum: 600_000 },
    },
  },
};

/** What the core offers over plain HTTP beside the protocols. */
export function restRoutes(app: FastifyInstance, deps: RestDependencies): void {
  app.get(
    "/api/v1/status",
    { config: { auth: "viewer" }, schema: { tags: ["core"], summary: "What this core serves" } },
    async (request) => statusReport(principalOf(request).workspaceId, deps),
  );

  app.post(
    "/api/v1/request-agent",
    { config: { auth: "member" }, schema: requestAgentSchema },
    async (request, reply) => {
      const principal = principalOf(request);
      requireRole(principal, "member");
      const body = request.body as RequestAgentBody;
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const outcome = await invoke(
        {
          caller: personAs(principal),
          target: targetName(body.to.replace(/^agent:\/\//, ""), body.capability),
          args: "payload" in body ? body.payload : {},
          correlationId: deps.nextId(),
          hops: 0,
          signal: gone.signal,
          ...(body.timeoutMs === undefined ? {} : { timeoutMs: body.timeoutMs }),
        },
        deps.invoke,
      );
      return toRequestAgentResult(outcome);
    },
  );
}

/** A person calls under their own name, and may use whatever an agent of their workspace may. */
function personAs({ workspaceId, userId }: Principal): Caller {
  return {
    workspaceId,
    userId,
    agentId: "person",
    sessionId: "rest",
    mayUse: () => true,
    policies: new Map(),
  };
}
