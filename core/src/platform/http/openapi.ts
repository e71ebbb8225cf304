import { fastifySwagger } from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";

/** /openapi.json, made from the schemas that requests are checked with. Call it before the first route. */
export function registerOpenApi(app: FastifyInstance, version: string): void {
  // Called and not registered: as a plugin it would load later, and miss the routes added until then.
  fastifySwagger(
    app,
    {
      openapi: {
        openapi: "3.1.0",
        info: {
          title: "Stoa",
          version,
          description: "A self-hosted core where agents and tools work under contract.",
          license: { name: "Apache-2.0", identifier: "Apache-2.0" },
        },
        components: {
          securitySchemes: {
            bearer: { type: "http", scheme: "bearer", description: "An API key or an HMAC token." },
          },
          schemas: {
            Error: {
              type: "object",
              required: ["error"],
              properties: {
                error: {
                  type: "object",
                  required: ["code", "message", "requestId"],
                  properties: {
                    code: {
                      type: "string",
                      description: "A code of the error catalogue, such as NOT_FOUND.",
                    },
                    message: { type: "string", description: "What happened, where, and what to do." },
                    details: { type: "object", description: "Facts for programs." },
                    requestId: { type: "string", description: "The id under which the log has the request." },
                  },
                },
              },
            },
          },
        },
      },
      convertConstToEnum: false,
      transform: ({ schema, url, route }) => {
        const open = route.config?.auth === "none";
        const base: FastifySchema = schema ?? {};
        return {
          url,
          schema: {
            ...base,
            security: open ? [] : [{ bearer: [] }],
            response: {
              ...(base.response ?? { 200: { description: "Done" } }),
              default: {
                description: "It failed",
                content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
              },
            },
          },
        };
      },
    },
    (error) => {
      if (error) throw error;
    },
  );
  let document: string | undefined;
  app.get("/openapi.json", { config: { auth: "none" }, schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type("application/json; charset=utf-8").send(document);
  });
}
