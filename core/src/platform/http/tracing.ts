import { context, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { StoaError } from "#platform/errors";
import { endSpan, extractContext, startSpan } from "#platform/telemetry";
import { clientGone, routeOf } from "./metrics.ts";

/** A span for each request, below the caller's where its headers name one. */
export function registerTracing(app: FastifyInstance, tracer: Tracer): void {
  const started = new WeakMap<FastifyRequest, ReturnType<typeof startSpan>>();
  app.addHook("onRequest", (request, reply, done) => {
    const route = routeOf(request);
    const span = startSpan(tracer, `${request.method} ${route}`, {
      kind: "SERVER",
      parent: extractContext(request.headers) ?? ROOT_CONTEXT,
      attributes: {
        "http.request.method": request.method,
        "http.route": route,
        "stoa.request_id": request.id,
      },
    });
    started.set(request, span);
    reply.raw.once("close", () => {
      const status = reply.raw.writableFinished ? reply.statusCode : clientGone;
      span.span.setAttribute("http.response.status_code", status);
      endSpan(span.span, status >= 500 ? new StoaError("INTERNAL", `answered ${status}`) : undefined);
    });
    context.with(span.context, done);
  });
  // A body arrives in the socket's context, so the request's own is entered again behind it.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = started.get(request);
    if (span === undefined) done();
    else context.with(span.context, done);
  });
}
