import { BinduService } from "@stoa/proto/agent_handler_pb";
import { Memory } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import type { FastifyRequest } from "fastify";
import type { Agent, AgentListeners } from "#domain/agents";
import { defaultWorkspace, type Principal } from "#domain/identity";
import { agentRuntimeService, binduService, memoryService } from "#faces/grpc";
import { AgentListenersOnHttp, a2aRoutes, Endpoints } from "#faces/http/a2a";
import { keyRoutes, restRoutes, statusReport } from "#faces/http/rest";
import { isLoopback } from "#platform/config";
import { StoaError } from "#platform/errors";
import { createGrpcHost } from "#platform/grpc";
import { createHttpHost, type HttpHost, type HttpHostOptions, isLocal } from "#platform/http";
import type { Closing } from "./closing.ts";
import type { Domain } from "./domain.ts";
import type { Identity } from "./identity.ts";
import type { Platform } from "./platform.ts";
import { callerOrStranger } from "./strangers.ts";

export interface FacesContext {
  readonly platform: Platform;
  readonly identity: Identity;
  readonly version: string;
  readonly startedAt: number;
  readonly closing: Closing;
}

export interface OpenFaces {
  readonly http: { readonly host: string; readonly port: number };
  readonly grpc?: { readonly host: string; readonly port: number };
}

/** Opens every door of the core. The domain is built in between: it needs the agents' listeners, they need it. */
export async function openFaces(
  context: FacesContext,
  buildDomain: (listeners: AgentListeners) => Promise<Domain>,
): Promise<OpenFaces> {
  const { platform, closing } = context;
  let domain: Domain | undefined;
  const endpoints = () => {
    if (domain === undefined) throw new StoaError("SHUTTING_DOWN", "The core is still starting.");
    endpointsMade ??= new Endpoints({
      turns: domain.turns,
      tasks: domain.tasks,
      clock: platform.clock,
      nextId: domain.nextId,
    });
    return { domain, endpoints: endpointsMade };
  };
  let endpointsMade: Endpoints | undefined;

  const listeners = new AgentListenersOnHttp({
    bindHost: platform.config.http.host,
    createHost: async (agentAt) => {
      const host = newHttpHost(context, { log: platform.log.child({ listener: "agent" }) });
      mountAgents(host, context, endpoints, agentAt, "");
      mountAgents(host, context, endpoints, agentAt, "/agents/:agent");
      return host;
    },
  });
  domain = await buildDomain(listeners);
  await domain.start();
  closing.add("agent listeners", () => listeners.closeAll());
  const http = await openHttp(context, domain, endpoints);
  const grpc = await openGrpc(context, domain);
  domain.warmUp();
  return { http, ...(grpc === undefined ? {} : { grpc }) };
}

function addresses({ http, grpc }: Platform["config"]) {
  const web = `http://${http.host}:${http.port}`;
  return [
    { name: "REST", address: `${web}/api/v1`, note: "OpenAPI at /openapi.json" },
    { name: "A2A", address: `${web}/agents/<id>/` },
    ...(grpc.enabled
      ? [{ name: "gRPC", address: `${grpc.host}:${grpc.port}`, note: "reflection and health are on" }]
      : []),
  ];
}

type Live = () => { domain: Domain; endpoints: Endpoints };

async function openHttp(context: FacesContext, domain: Domain, live: Live): Promise<OpenFaces["http"]> {
  const { platform, identity, version, startedAt, closing } = context;
  const { config, clock, store, bus } = platform;
  const statusDeps = { ...domain, version, startedAt, clock };
  const host = newHttpHost(context, {
    log: platform.log,
    status: () => ({ ...statusReport(defaultWorkspace, statusDeps), endpoints: addresses(config) }),
  });
  host.addReadiness("store", () => store.ping());
  host.addReadiness("bus", () => bus.ping());
  restRoutes(host.app, { ...statusDeps, invoke: domain.invoke, nextId: domain.nextId });
  keyRoutes(host.app, { apiKeys: identity.apiKeys });
  mountAgents(host, context, live, (named) => named, "/agents/:agent");
  closing.add("http", () => host.close());
  const { port } = await host.listen({ host: config.http.host, port: config.http.port });
  return { host: config.http.host, port };
}

function newHttpHost(
  { platform, identity, version }: FacesContext,
  extra: Pick<HttpHostOptions<Principal>, "log" | "status">,
): HttpHost {
  const { config, telemetry } = platform;
  return createHttpHost<Principal>({
    telemetry,
    version,
    bodyLimit: config.http.bodyLimit,
    requestTimeoutMs: config.http.requestTimeout * 1000,
    drainTimeoutMs: config.drainTimeout * 1000,
    authenticate: (authorization) => identity.authenticator.authenticate(authorization),
    ...extra,
  });
}

function mountAgents(
  host: HttpHost,
  context: FacesContext,
  live: Live,
  agentAt: (named: string | undefined) => string | undefined,
  prefix: string,
): void {
  const { platform, identity } = context;
  const strangersAllowed = isLoopback(platform.config.http.host);
  const agentIn = (request: FastifyRequest): Agent | undefined => {
    const id = agentAt((request.params as { agent?: string }).agent);
    if (id === undefined) return undefined;
    const { directory, registry } = live().domain;
    return directory.native(id) ?? registry.get(id);
  };
  a2aRoutes(host.app, {
    prefix,
    async authenticate(request) {
      const agent = agentIn(request);
      const workspaceId = agent?.kind === "registered" ? agent.workspaceId : defaultWorkspace;
      const principal = await callerOrStranger(request.headers.authorization, identity.authenticator, {
        allowed: strangersAllowed && isLocal(request),
        workspaceId,
      });
      if (agent?.kind === "registered" && agent.workspaceId !== principal.workspaceId) {
        throw new StoaError("PERMISSION_DENIED", "This agent belongs to another workspace than the caller.");
      }
      return principal;
    },
    endpoint(request) {
      const agent = agentIn(request);
      return agent === undefined ? undefined : live().endpoints.of(agent, addressOf(request, prefix));
    },
  });
}

/** Where the client reached the agent: that is the address its card must give. */
function addressOf(request: FastifyRequest, prefix: string): string {
  const path = prefix.replace(
    ":agent",
    encodeURIComponent((request.params as { agent?: string }).agent ?? ""),
  );
  return `${request.protocol}://${request.host}${path}/`;
}

async function openGrpc(context: FacesContext, domain: Domain): Promise<OpenFaces["grpc"]> {
  const { platform, identity, closing } = context;
  const { config, log, telemetry, clock } = platform;
  if (!config.grpc.enabled) return undefined;
  const { host: address, port, tls } = config.grpc;
  const strangersAllowed = isLoopback(address);
  const host = createGrpcHost<Principal>({
    host: address,
    port,
    log,
    telemetry,
    maxMessageLength: config.grpc.maxMessageLength,
    maxConcurrentCalls: config.grpc.maxConcurrentCalls,
    ...(tls.certFile === undefined || tls.keyFile === undefined
      ? {}
      : {
          tls: {
            certFile: tls.certFile,
            keyFile: tls.keyFile,
            ...(tls.clientCaFile === undefined ? {} : { clientCaFile: tls.clientCaFile }),
          },
        }),
    authenticate: (metadata, { method }) => {
      const [authorization] = metadata.get("authorization");
      return callerOrStranger(authorization?.toString(), identity.authenticator, {
        allowed: strangersAllowed && method.parent.typeName === BinduService.typeName,
        workspaceId: defaultWorkspace,
      });
    },
  });
  host.add(AgentRuntime, agentRuntimeService({ turns: domain.turns }));
  host.add(Memory, memoryService({ memory: domain.memory }));
  host.add(BinduService, binduService({ registry: domain.registry, clock }), {
    maxConcurrent: config.grpc.maxWorkers,
    queue: true,
    setting: "grpc.maxWorkers (GRPC__MAX_WORKERS)",
  });
  closing.add("grpc", () => host.drain(config.drainTimeout * 1000));
  await host.listen();
  return { host: address, port: host.port };
}
