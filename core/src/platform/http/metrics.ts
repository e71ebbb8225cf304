import type { FastifyInstance, FastifyRequest } from "fastify";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The status of an answer that nobody waited for. */
export const clientGone = 499;

interface HttpMetrics {
  readonly requests: Counter<"method" | "route" | "status">;
  readonly durations: Histogram<"method" | "route">;
  readonly underWay: Gauge;
}

/** Counts by the route's template, never by the path: a caller must not be able to make series. */
export function registerHttpMetrics(app: FastifyInstance, registry: Registry): void {
  const { requests, durations, underWay } = metricsIn(registry);
  app.addHook("onRequest", (request, reply, done) => {
    const started = performance.now();
    underWay.inc();
    // The end of the answer and not Fastify's onResponse, which does not come when the client goes away.
    reply.raw.once("close", () => {
      underWay.dec();
      const labels = {
        method: methods.has(request.method) ? request.method : "OTHER",
        route: routeOf(request),
      };
      const status = reply.raw.writableFinished ? reply.statusCode : clientGone;
      const ms = performance.now() - started;
      requests.inc({ ...labels, status });
      durations.observe(labels, ms / 1000);
      request.log.debug({ ...labels, status, ms: Math.round(ms * 100) / 100 }, "request answered");
    });
    done();
  });
}

export function routeOf(request: FastifyRequest): string {
  return request.is404 ? "(none)" : (request.routeOptions.url ?? "(none)");
}

/** Listeners of one core share a registry, and so their metrics. */
function metricsIn(registry: Registry): HttpMetrics {
  const [requests, durations, underWay] = [
    "stoa_http_requests_total",
    "stoa_http_request_duration_seconds",
    "stoa_http_requests_under_way",
  ].map((name) => registry.getSingleMetric(name));
  return {
    requests:
      requests instanceof Counter
        ? requests
        : new Counter({
            name: "stoa_http_requests_total",
            help: "HTTP requests answered, by route and status.",
            labelNames: ["method", "route", "status"],
            registers: [registry],
          }),
    durations:
      durations instanceof Histogram
        ? durations
        : new Histogram({
            name: "stoa_http_request_duration_seconds",
            help: "Time from an HTTP request's headers to the end of its answer.",
            labelNames: ["method", "route"],
            buckets,
            registers: [registry],
          }),
    underWay:
      underWay instanceof Gauge
        ? underWay
        : new Gauge({
            name: "stoa_http_requests_under_way",
            help: "HTTP requests that are not answered yet.",
            registers: [registry],
          }),
  };
}
