import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { StoaError } from "#platform/errors";
import { registerAccess } from "./access.ts";
import { onClientError } from "./client-errors.ts";
import { hurry } from "./drain.ts";
import { fail, registerFailures } from "./failures.ts";
import { registerHealthRoutes } from "./health-routes.ts";
import { explainListenError, portOf } from "./listen.ts";
import { registerHttpMetrics } from "./metrics.ts";
import { registerOpenApi } from "./openapi.ts";
import { ReadinessChecks } from "./readiness.ts";
import { requestId } from "./request-id.ts";
import { RouteTable } from "./route-table.ts";
import { securityHeaders } from "./security-headers.ts";
import { registerStatusRoute } from "./status-route.ts";
import { readTls, type TlsMaterial } from "./tls.ts";
import { registerTracing } from "./tracing.ts";
import type { HttpHost, HttpHostOptions, HttpPrincipal, ListenOptions } from "./types.ts";
import { Validation } from "./validation.ts";

const defaults = {
  bodyLimit: 1024 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  drainTimeoutMs: 10_000,
};

/** A listener with everything around routes that every route needs. The core has one, each agent's port another. */
export function createHttpHost<P extends HttpPrincipal = HttpPrincipal>(
  options: HttpHostOptions<P>,
): HttpHost {
  const log = options.log.child({ part: "http" });
  const { telemetry } = options;
  const tls = options.tls === undefined ? undefined : readTls(options.tls);
  const validation = new Validation();
  const app = createApp(options, tls, validation);
  const readiness = new ReadinessChecks(log);
  const closing = new AbortController();
  const routes = new RouteTable();

  routes.watch(app);
  registerFailures(app, routes);
  const headers = securityHeaders(tls !== undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers).header("x-request-id", request.id);
    done();
  });
  registerHttpMetrics(app, telemetry.registry);
  if (telemetry.tracing) registerTracing(app, telemetry.tracer);
  app.addHook("onRequest", async (request) => {
    if (request.headers.host === undefined && request.raw.httpVersion === "1.1") {
      throw new StoaError("INVALID_ARGUMENT", "The request has no host header.");
    }
    if (closing.signal.aborted && request.routeOptions.url !== "/healthz") {
      throw new StoaError("SHUTTING_DOWN", "The core is stopping and takes no new work.");
    }
  });
  registerAccess(app, options.authenticate);
  app.addHook("onSend", async (_request, reply) => {
    if (closing.signal.aborted) reply.header("connection", "close");
  });
  registerOpenApi(app, options.version ?? "0.0.0");
  registerHealthRoutes(app, readiness, telemetry.registry);
  if (options.status !== undefined) registerStatusRoute(app, options.status, readiness);

  let closed: Promise<void> | undefined;
  return {
    app,
    closing: closing.signal,
    addReadiness: (name, check) => readiness.add(name, check),
    async compileSchemas() {
      await app.ready();
      validation.compileAll();
    },
    async listen(address: ListenOptions) {
      try {
        await app.listen({ host: address.host, port: address.port });
      } catch (thrown) {
        throw explainListenError(thrown, address);
      }
      return { port: portOf(app.server) };
    },
    close() {
      closed ??= close();
      return closed;
    },
  };

  async function close(): Promise<void> {
    closing.abort(new StoaError("SHUTTING_DOWN", "The core is stopping and takes no new work."));
    const done = hurry(app.server, options.drainTimeoutMs ?? defaults.drainTimeoutMs, log);
    try {
      await app.close();
    } finally {
      done();
    }
  }
}

function createApp<P extends HttpPrincipal>(
  options: HttpHostOptions<P>,
  tls: TlsMaterial | undefined,
  validation: Validation,
): FastifyInstance {
  const log = options.log.child({ part: "http" });
  const headersTimeout = options.headersTimeoutMs ?? defaults.headersTimeoutMs;
  const requestTimeout = options.requestTimeoutMs ?? defaults.requestTimeoutMs;
  // Node looks for slow senders at this interval; at its default of 30 s a short limit would mean little.
  const connectionsCheckingInterval = Math.max(100, Math.min(5_000, headersTimeout, requestTimeout) / 2);
  // A missing host is refused in a hook, with a body like every other failure; Node would send none.
  const server = {
    headersTimeout,
    connectionsCheckingInterval,
    maxHeaderSize: 16 * 1024,
    requireHostHeader: false,
  };
  // Fastify's own remarks only where they warn; requests log through children of the real one.
  const quiet: FastifyBaseLogger = log.child({}, { level: log.isLevelEnabled("warn") ? "warn" : log.level });
  const common = {
    loggerInstance: quiet,
    childLoggerFactory: (_logger: unknown, bindings: object, opts: object) => log.child(bindings, opts),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    bodyLimit: options.bodyLimit ?? defaults.bodyLimit,
    requestTimeout,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? defaults.keepAliveTimeoutMs,
    genReqId: requestId,
    return503OnClosing: false,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 512 },
    schemaController: { compilersFactory: validation.compilers },
    clientErrorHandler: (error: Error, socket: Parameters<typeof onClientError>[1]) =>
      onClientError(error, socket, log),
    // These come before any hook, so nothing has put the headers on yet.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      void fail(error, request, reply.headers(securityHeaders(tls !== undefined))),
  };
  const app: FastifyInstance =
    tls === undefined
      ? Fastify({ ...common, http: server })
      : // The instance differs in its server's type alone, and https servers have all that is used of it.
        (Fastify({ ...common, https: { ...server, ...tls } }) as unknown as FastifyInstance);
  // A page elsewhere may send text without asking first; JSON it may not.
  app.removeContentTypeParser("text/plain");
  return app;
}
