import type { FastifyInstance } from "fastify";
import { StoaError } from "#platform/errors";
import { fail } from "./failures.ts";
import { pageHeaders } from "./page.ts";
import type { ReadinessChecks } from "./readiness.ts";
import { renderLockedPage, renderStatusPage, type StatusPage } from "./status-page.ts";

/** The page at `/`: what this core is, where to reach it, and what it serves. */
export function registerStatusRoute(
  app: FastifyInstance,
  status: () => StatusPage | Promise<StatusPage>,
  readiness: ReadinessChecks,
): void {
  app.get(
    "/",
    {
      config: { auth: "local" },
      schema: { hide: true },
      errorHandler: (thrown, request, reply) => {
        const error = StoaError.from(thrown);
        const person = request.headers.accept?.includes("text/html") === true;
        if (!person || error.entry.http >= 500) return fail(thrown, request, reply);
        return reply.code(error.entry.http).headers(pageHeaders).send(renderLockedPage(error.message));
      },
    },
    async (_request, reply) => {
      const [shown, ready] = await Promise.all([status(), readiness.ask()]);
      return reply.headers(pageHeaders).send(renderStatusPage(shown, ready));
    },
  );
}
