import { Readable } from "node:stream";
import { A2A_VERSION_HEADER, SSE_HEADERS } from "@a2a-js/sdk";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";
import type { AgentEndpoint } from "./endpoint.ts";

export interface A2aRouteOptions {
  /** Where on this listener the routes are; `:agent` in it is the agent's id. */
  readonly prefix: string;
  readonly authenticate: (request: FastifyRequest) => Promise<Principal>;
  /** The endpoint at this address, or undefined: no such agent here, or none that the caller may see. */
  readonly endpoint: (request: FastifyRequest) => AgentEndpoint | undefined;
}

const cardPaths = ["/.well-known/agent-card.json", "/.well-known/agent.json"];

/** A2A 1.0 over JSON-RPC: the card, and one address for every method. */
export function a2aRoutes(app: FastifyInstance, { prefix, authenticate, endpoint }: A2aRouteOptions): void {
  // The principal is found here, not by the host's own rule, because agents on loopback are open to strangers.
  const config = { auth: "none" as const };
  const find = (request: FastifyRequest): AgentEndpoint => {
    const found = endpoint(request);
    if (found !== undefined) return found;
    throw new StoaError(
      "NOT_FOUND",
      `No agent is served at ${request.url}; \`stoa status\` lists the agents.`,
    );
  };
  for (const path of cardPaths) {
    app.get(
      `${prefix}${path}`,
      { config, schema: { tags: ["a2a"], summary: "The agent's card" } },
      async (request) => find(request).card(),
    );
  }
  const schema = { tags: ["a2a"], summary: "A2A 1.0 over JSON-RPC", body: { type: "object" } };
  for (const path of prefix === "" ? ["/"] : [prefix, `${prefix}/`]) {
    app.post(path, { config, schema }, async (request, reply) => {
      const principal = await authenticate(request);
      const body = request.body as Record<string, unknown>;
      const answer = await find(request).call(body, principal, versionOf(request, body));
      return answer.kind === "single" ? answer.body : stream(reply, answer.events);
    });
  }
}

/** An absent header means 0.3 by the letter; but only 1.0 spells its methods like this. */
function versionOf(request: FastifyRequest, body: Record<string, unknown>): string {
  const header = request.headers[A2A_VERSION_HEADER.toLowerCase()];
  if (typeof header === "string") return header;
  return typeof body.method === "string" && /^[A-Z]/.test(body.method) ? "1.0" : "0.3";
}

function stream(reply: FastifyReply, events: AsyncIterable<string>): FastifyReply {
  return reply.headers(SSE_HEADERS).send(Readable.from(events, { objectMode: false }));
}
