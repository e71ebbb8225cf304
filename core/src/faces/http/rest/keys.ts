import type { FastifyInstance } from "fastify";
import {
  type ApiKeys,
  type NewApiKey,
  type Principal,
  requireRole,
  requireWorkspace,
  roles,
} from "#domain/identity";
import { principalOf } from "./principal.ts";

const time = { type: "integer", description: "Epoch milliseconds." };

const keyProperties = {
  id: { type: "string" },
  prefix: { type: "string", description: "How the key begins: enough to tell keys apart." },
  name: { type: "string" },
  workspaceId: { type: "string" },
  userId: { type: "string", description: "Whom the key speaks for." },
  role: { type: "string", enum: roles },
  createdAt: time,
  expiresAt: time,
  lastUsedAt: time,
  revokedAt: time,
} as const;

const keySchema = { type: "object", properties: keyProperties };
const createdSchema = {
  type: "object",
  properties: { ...keyProperties, key: { type: "string", description: "The key itself, shown this once." } },
};

const newKeySchema = {
  type: "object",
  required: ["name", "role"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 100 },
    role: { type: "string", enum: roles },
    workspaceId: { type: "string", maxLength: 128 },
    userId: { type: "string", maxLength: 256 },
    expiresAt: time,
  },
};

/** API keys of people and services, for admins. An admin sees the keys of their own workspace and no others. */
export function keyRoutes(app: FastifyInstance, { apiKeys }: { readonly apiKeys: ApiKeys }): void {
  app.get(
    "/api/v1/keys",
    {
      config: { auth: "admin" },
      schema: {
        tags: ["keys"],
        summary: "List API keys, revoked ones too",
        querystring: {
          type: "object",
          additionalProperties: false,
          properties: { workspaceId: { type: "string", maxLength: 128 } },
        },
        response: { 200: { type: "object", properties: { keys: { type: "array", items: keySchema } } } },
      },
    },
    async (request) => {
      const { workspaceId } = request.query as { workspaceId?: string };
      return { keys: await apiKeys.list(scopeOf(adminOf(request), workspaceId)) };
    },
  );

  app.post(
    "/api/v1/keys",
    {
      config: { auth: "admin" },
      schema: {
        tags: ["keys"],
        summary: "Create an API key",
        body: newKeySchema,
        response: { 201: createdSchema },
      },
    },
    async (request, reply) => {
      const body = request.body as NewApiKey;
      const admin = adminOf(request);
      const workspaceId = requireWorkspace(admin, body.workspaceId);
      return reply.status(201).send(await apiKeys.create({ ...body, workspaceId }, admin.userId));
    },
  );

  app.delete(
    "/api/v1/keys/:id",
    {
      config: { auth: "admin" },
      schema: {
        tags: ["keys"],
        summary: "Revoke an API key",
        params: { type: "object", required: ["id"], properties: { id: { type: "string", maxLength: 64 } } },
        response: { 200: keySchema },
      },
    },
    async (request) => {
      const admin = adminOf(request);
      return apiKeys.revoke((request.params as { id: string }).id, admin.userId, scopeOf(admin));
    },
  );
}

function adminOf(request: { principal?: unknown }): Principal {
  const principal = principalOf(request);
  // The host checks the role that the route names; checked here too, so that it does not depend on its set-up.
  requireRole(principal, "admin");
  return principal;
}

/** The workspace to look in: the operator's command line sees all of them. */
function scopeOf(principal: Principal, requested?: string): string | undefined {
  if (principal.kind === "local" && !requested) return undefined;
  return requireWorkspace(principal, requested);
}
