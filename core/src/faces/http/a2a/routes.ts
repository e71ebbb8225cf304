import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Agent } from "#domain/agents";
import { type Principal, requireRole } from "#domain/identity";
import { StoaError } from "#platform/errors";
import { invalidRequest, isRpcRequest, rpcFailure, speakJsonRpc } from "./json-rpc.ts";
import type { A2aService } from "./service.ts";

export interface A2aRouteOptions {
  /** Where on this listener the routes are; `:agent` in it is the agent's id. */
  readonly prefix: string;
  readonly service: A2aService;
  readonly authenticate: (request: FastifyRequest) => Promise<Principal>;
  /** The agent at this address, or undefined: there is none, or none that the caller may see. */
  readonly agentFor: (request: FastifyRequest, principal: Principal) => Agent | undefined;
  /** The agent at this address if its card is for everybody. */
  readonly announced: (request: FastifyRequest) => Agent | undefined;
}

const cardPaths = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/** What only looks; everything else makes agents work. */
const looking = new Set(["GetTask", "ListTasks", "SubscribeToTask"]);

/** A2A 1.0 over JSON-RPC: the card, and one address for every method. */
export function a2aRoutes(app: FastifyInstance, options: A2aRouteOptions): void {
  const { prefix, service, authenticate, agentFor, announced } = options;
  // The principal is found here, not by the host's own rule, because agents on loopback are open to strangers.
  const config = { auth: "none" as const };

  for (const path of cardPaths) {
    const schema = { tags: ["a2a"], summary: "The agent's card" };
    app.get(`${prefix}${path}`, { config, schema }, async (request) => {
      const agent = announced(request) ?? found(request, agentFor(request, await authenticate(request)));
      return service.card(agent, addressOf(request, prefix));
    });
  }

  const schema = { tags: ["a2a"], summary: "A2A 1.0 over JSON-RPC", body: { description: "One request." } };
  for (const path of prefix === "" ? ["/"] : [prefix, `${prefix}/`]) {
    app.post(path, { config, schema, preSerialization: speakJsonRpc }, async (request, reply) => {
      const principal = await authenticate(request);
      const agent = found(request, agentFor(request, principal));
      const { body } = request;
      if (!isRpcRequest(body)) return reply.code(400).send(rpcFailure(body, invalidRequest));
      requireRole(principal, looking.has(body.method) ? "viewer" : "member");
      const answer = await service.call(agent, body, principal, versionOf(request, body.method));
      return answer.kind === "single" ? answer.body : reply.headers(answer.headers).send(answer.events);
    });
  }
}

function found(request: FastifyRequest, agent: Agent | undefined): Agent {
  if (agent !== undefined) return agent;
  throw new StoaError(
    "NOT_FOUND",
    `No agent that you can see is served at ${request.url}; \`stoa status\` lists the agents. An agent of another ` +
      "workspace needs a credential of that workspace: `authorization: Bearer <token or API key>`.",
  );
}

/** Where the client reached the agent: that is the address its card must give. */
function addressOf(request: FastifyRequest, prefix: string): string {
  const { agent = "" } = request.params as { agent?: string };
  const path = prefix.replace(":agent", () => encodeURIComponent(agent));
  return `${request.protocol}://${request.host}${path}/`;
}

/** An absent header means 0.3 by the letter; but only 1.0 spells its methods like this. */
function versionOf(request: FastifyRequest, method: string): string {
  const header = request.headers["a2a-version"];
  if (typeof header === "string") return header;
  return /^[A-Z]/.test(method) ? "1.0" : "0.3";
}
