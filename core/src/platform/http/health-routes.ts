import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { StoaError } from "#platform/errors";
import { isLocal } from "./access.ts";
import type { ReadinessChecks } from "./readiness.ts";

const statusSchema = (status: string) => ({
  200: { type: "object", properties: { status: { const: status, type: "string" } }, required: ["status"] },
});

/** For whoever runs the core: is it alive, can it work, how does it fare. */
export function registerHealthRoutes(
  app: FastifyInstance,
  readiness: ReadinessChecks,
  registry: Registry,
): void {
  app.get(
    "/healthz",
    {
      config: { auth: "none" },
      schema: { tags: ["operation"], summary: "Whether the process is alive", response: statusSchema("ok") },
      logLevel: "warn",
    },
    async () => ({ status: "ok" }),
  );

  app.get(
    "/readyz",
    {
      config: { auth: "none" },
      schema: {
        tags: ["operation"],
        summary: "Whether everything the core needs answers; 503 names what does not",
        response: statusSchema("ready"),
      },
      logLevel: "warn",
    },
    async (request) => {
      const { ready, checks } = await readiness.ask();
      if (ready) return { status: "ready" };
      const failing = [...checks].filter(([, problem]) => problem !== undefined);
      const names = failing.map(([name]) => name);
      // What exactly is wrong may hold addresses: only for who is on this machine.
      const why = failing.map(([name, problem]) => (isLocal(request) ? `${name} (${problem})` : name));
      throw new StoaError("UNAVAILABLE", `Not ready: ${why.join(", ")}.`, { details: { failing: names } });
    },
  );

  app.get(
    "/metrics",
    {
      config: { auth: "local" },
      schema: {
        tags: ["operation"],
        summary: "Metrics in Prometheus' text format",
        produces: ["text/plain"],
        response: { 200: { type: "string" } },
      },
      logLevel: "warn",
    },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
}
