import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Principal, type Role, requireRole, requireWorkspace } from "#domain/identity";
import type { Ledger, LedgerQuery } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import { atMostAtOnce } from "./at-most-at-once.ts";
import {
  checkpointsSchema,
  continuationSchema,
  eraseSchema,
  exportSchema,
  keysSchema,
  proofSchema,
  querySchema,
  verifySchema,
} from "./schemas.ts";
import { streamVerification } from "./verification.ts";

interface InWorkspace {
  readonly workspaceId?: string;
}

/** The ledger over HTTP: a caller sees their own workspace's. Personal fields are for members, erasing for admins. */
export function auditRoutes(app: FastifyInstance, { ledger }: { readonly ledger: Ledger }): void {
  const verify = atMostAtOnce(mostVerifications, "verifications", ledger.verify);
  app.get("/api/v1/audit/records", { config: { auth: "member" }, schema: querySchema }, async (request) => {
    const query = request.query as Omit<LedgerQuery, "workspaceId"> & InWorkspace;
    return ledger.query({ ...query, workspaceId: workspaceOf(request, "member", query) });
  });

  app.get(
    "/api/v1/audit/records/:id/proof",
    { config: { auth: "member" }, schema: proofSchema },
    async (request) => {
      const { id } = request.params as { id: string };
      const query = request.query as InWorkspace & { withoutPayload?: boolean };
      const workspaceId = workspaceOf(request, "member", query);
      return ledger.prove({ workspaceId, id, withoutPayload: query.withoutPayload });
    },
  );

  app.post(
    "/api/v1/audit/verify",
    { config: { auth: "viewer" }, schema: verifySchema },
    async (request, reply) => {
      const { from, ...body } = (request.body ?? {}) as InWorkspace & { from?: number };
      const workspaceId = workspaceOf(request, "viewer", body);
      const signal = whileConnected(reply);
      if (!request.headers.accept?.includes("application/x-ndjson"))
        return verify({ workspaceId, from, signal });
      return streamVerification(reply, (onProgress) => verify({ workspaceId, from, signal, onProgress }));
    },
  );

  app.get(
    "/api/v1/audit/continuation",
    { config: { auth: "viewer" }, schema: continuationSchema },
    async (request) => {
      const query = request.query as InWorkspace & { from: number };
      return ledger.proveContinuation({ ...query, workspaceId: workspaceOf(request, "viewer", query) });
    },
  );

  app.get("/api/v1/audit/export", { config: { auth: "admin" }, schema: exportSchema }, async (request) => {
    const query = request.query as InWorkspace & { from: number; limit?: number };
    return ledger.exportPage({ ...query, workspaceId: workspaceOf(request, "admin", query) });
  });

  app.post("/api/v1/audit/erase", { config: { auth: "admin" }, schema: eraseSchema }, async (request) => {
    const body = request.body as InWorkspace & { records?: string[]; subject?: string; reason: string };
    const by = callerOf(request, "admin").userId;
    return ledger.erase({ ...body, by, workspaceId: workspaceOf(request, "admin", body) });
  });

  app.get(
    "/api/v1/audit/checkpoints",
    { config: { auth: "viewer" }, schema: checkpointsSchema },
    async (request) => {
      const query = request.query as InWorkspace & { limit?: number };
      return { checkpoints: await ledger.checkpoints(workspaceOf(request, "viewer", query), query.limit) };
    },
  );

  app.get("/api/v1/audit/keys", { config: { auth: "viewer" }, schema: keysSchema }, async () => ({
    keys: await ledger.publicKeys(),
  }));
}

/** A verification reads the whole ledger: a few at once, or viewers could keep the core busy with nothing else. */
const mostVerifications = 2;

function callerOf(request: { principal?: unknown }, role: Role): Principal {
  const principal = request.principal as Principal | undefined;
  if (principal === undefined) throw new StoaError("UNAUTHENTICATED", "No credential was sent.");
  // The host checks the role that the route names; checked here too, so that it does not depend on its set-up.
  requireRole(principal, role);
  return principal;
}

function workspaceOf(request: FastifyRequest, role: Role, { workspaceId }: InWorkspace): string {
  return requireWorkspace(callerOf(request, role), workspaceId);
}

/** A verification that nobody waits for any more need not go on. */
function whileConnected(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}
