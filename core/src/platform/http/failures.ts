import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { StoaError } from "#platform/errors";
import { envelope, toStoaError } from "./envelope.ts";
import type { RouteTable } from "./route-table.ts";

/** One answer for everything that goes wrong, wherever it does. */
export function registerFailures(app: FastifyInstance, routes: RouteTable): void {
  app.setErrorHandler((thrown, request, reply) => fail(thrown, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const methods = routes.methodsAt(path);
    if (methods.length === 0) {
      return fail(
        new StoaError(
          "NOT_FOUND",
          `Nothing is served at ${JSON.stringify(shown(path))}. GET /openapi.json lists what is.`,
        ),
        request,
        reply,
      );
    }
    const allow = methods.join(", ");
    reply.header("allow", allow);
    if (request.method === "OPTIONS") return reply.code(204).send();
    return fail(
      new StoaError(
        "METHOD_NOT_ALLOWED",
        `${request.method} is not served at ${JSON.stringify(shown(path))}; ${allow} is.`,
      ),
      request,
      reply,
    );
  });
}

export function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const limit = request.routeOptions?.bodyLimit ?? 0;
  const error = toStoaError(thrown, limit);
  const status = error.entry.http;
  reply.header("x-request-id", request.id);
  if (status >= 500) request.log.error({ err: error }, "request failed");
  else request.log.debug({ err: error }, "request refused");
  if (error.code === "UNAUTHENTICATED") reply.header("www-authenticate", 'Bearer realm="stoa"');
  if (error.code === "RATE_LIMITED" || error.code === "SHUTTING_DOWN") reply.header("retry-after", "1");
  // What is left of a body that was refused would be taken for the next request.
  if (error.code === "TOO_LARGE") reply.header("connection", "close");
  return reply
    .code(status)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(envelope(error, request.id));
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
