import type { FastifyRequest } from "fastify";
import type { AgentDirectory, AgentRegistry } from "#domain/agents";
import { type Authenticator, defaultWorkspace } from "#domain/identity";
import { type A2aService, a2aRoutes } from "#faces/http/a2a";
import { type HttpHost, isLocal } from "#platform/http";
import { callerOrStranger } from "./strangers.ts";

export interface AgentRoutesContext {
  readonly service: A2aService;
  readonly directory: AgentDirectory;
  readonly registry: AgentRegistry;
  readonly authenticator: Authenticator;
  /** Whether the core keeps to this machine. */
  readonly onLoopback: boolean;
}

type AgentAt = (named: string | undefined) => string | undefined;

/** Serves every agent that `agentAt` knows under `/agents/<id>`. */
export function mountAgents(host: HttpHost, context: AgentRoutesContext, agentAt: AgentAt): void {
  mount(host, context, agentAt, "/agents/:agent", (id) => context.directory.find(id, defaultWorkspace));
}

/**
 * Serves the agent of this listener at its root. Its card is for everybody there, whatever its workspace: its owner
 * asked for the address, and by the protocol the card is how a client that knows nothing but the address learns the
 * rest. Anywhere else a card is seen by those alone who may know that the agent exists.
 */
export function mountAtRoot(host: HttpHost, context: AgentRoutesContext, agentAt: AgentAt): void {
  mount(host, context, agentAt, "", (id) => context.directory.native(id) ?? context.registry.get(id));
}

function mount(
  host: HttpHost,
  { service, directory, authenticator, onLoopback }: AgentRoutesContext,
  agentAt: AgentAt,
  prefix: string,
  announced: (id: string) => ReturnType<AgentDirectory["find"]>,
): void {
  const idIn = (request: FastifyRequest) => agentAt((request.params as { agent?: string }).agent);
  a2aRoutes(host.app, {
    prefix,
    service,
    authenticate: (request) =>
      callerOrStranger(request.headers.authorization, authenticator, onLoopback && isLocal(request)),
    agentFor(request, { workspaceId }) {
      const id = idIn(request);
      return id === undefined ? undefined : directory.find(id, workspaceId);
    },
    announced(request) {
      const id = idIn(request);
      return id === undefined ? undefined : announced(id);
    },
  });
}
