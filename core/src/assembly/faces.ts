import { BinduService } from "@stoa/proto/agent_handler_pb";
import { Memory } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import type { AgentListeners } from "#domain/agents";
import { defaultWorkspace, type Principal } from "#domain/identity";
import { agentRuntimeService, binduService, memoryService } from "#faces/grpc";
import { A2aService, AgentListenersOnHttp, failInterruptedTasks } from "#faces/http/a2a";
import { auditRoutes } from "#faces/http/audit";
import { keyRoutes, restRoutes, statusReport } from "#faces/http/rest";
import { isLoopback } from "#platform/config";
import { createGrpcHost } from "#platform/grpc";
import { createHttpHost, type HttpHost, type HttpHostOptions } from "#platform/http";
import { type AgentRoutesContext, mountAgents, mountAtRoot } from "./agent-routes.ts";
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
  const { platform, identity, closing } = context;
  const { config, log, clock } = platform;
  const ready = Promise.withResolvers<AgentRoutesContext>();
  const listeners = new AgentListenersOnHttp({
    bindHost: config.http.host,
    corePorts: [config.http.port, ...(config.grpc.enabled ? [config.grpc.port] : [])],
    createHost: async (agentAt) => {
      const agents = await ready.promise;
      const host = newHttpHost(context, { log: log.child({ listener: "agent" }) });
      mountAtRoot(host, agents, agentAt);
      mountAgents(host, agents, agentAt);
      return host;
    },
  });
  const domain = await buildDomain(listeners);
  const { turns, tasks, nextId, directory, registry } = domain;
  const agents = {
    service: new A2aService({ turns, tasks, clock, nextId, log }),
    directory,
    registry,
    authenticator: identity.authenticator,
    onLoopback: isLoopback(config.http.host),
  };
  ready.resolve(agents);
  await failInterruptedTasks(tasks, { clock, nextId });
  closing.add("agent listeners", () => listeners.closeAll());
  await domain.start();
  const grpc = await openGrpc(context, domain);
  const http = await openHttp(context, domain, agents, grpc);
  // A moment later: to start their processes takes this one's time, and whoever waits for the core need not wait for it.
  const warmUp = setImmediate(() => domain.warmUp());
  closing.add("warm-up", () => clearImmediate(warmUp));
  return { http, ...(grpc === undefined ? {} : { grpc }) };
}

function addresses({ http, grpc }: OpenFaces) {
  const web = `http://${hostAndPort(http)}`;
  return [
    {
      name: "REST",
      address: `${web}/api/v1`,
      description: { name: "OpenAPI", address: "/openapi.json" },
    },
    { name: "A2A", address: `${web}/agents/<id>/` },
    ...(grpc === undefined
      ? []
      : [{ name: "gRPC", address: hostAndPort(grpc), note: "reflection and health are on" }]),
  ];
}

function hostAndPort({ host, port }: OpenFaces["http"]): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function openHttp(
  context: FacesContext,
  domain: Domain,
  agents: AgentRoutesContext,
  grpc: OpenFaces["grpc"],
): Promise<OpenFaces["http"]> {
  const { platform, identity, version, startedAt, closing } = context;
  const { config, clock, store, bus } = platform;
  const statusDeps = { ...domain, version, startedAt, clock };
  // Where 0 is configured, the system chooses: the page gives what it chose.
  let bound = { host: config.http.host, port: config.http.port };
  const host = newHttpHost(context, {
    log: platform.log,
    status: () => ({
      ...statusReport(defaultWorkspace, statusDeps),
      endpoints: addresses({ http: bound, ...(grpc === undefined ? {} : { grpc }) }),
    }),
  });
  host.addReadiness("store", () => store.ping());
  host.addReadiness("bus", () => bus.ping());
  restRoutes(host.app, { ...statusDeps, invoke: domain.invoke, nextId: domain.nextId });
  auditRoutes(host.app, { ledger: domain.ledger });
  keyRoutes(host.app, { apiKeys: identity.apiKeys });
  mountAgents(host, agents, (named) => named);
  closing.add("http", () => host.close());
  const { port } = await host.listen(bound);
  bound = { ...bound, port };
  return bound;
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
      const open = strangersAllowed && method.parent.typeName === BinduService.typeName;
      return callerOrStranger(authorization?.toString(), identity.authenticator, open);
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
