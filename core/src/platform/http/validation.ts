import { Ajv } from "ajv";
import type { FastifyInstance } from "fastify";

/**
 * A body is taken as it is: no text becomes a number, nothing is dropped in silence. A query and a path are
 * text by nature, so numbers and flags in them are read.
 */
export function registerValidation(app: FastifyInstance): void {
  const common = { strict: false, useDefaults: true, validateFormats: false, logger: false } as const;
  const exact = new Ajv(common);
  const reading = new Ajv({ ...common, coerceTypes: "array" });
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === "body" ? exact : reading).compile(schema as object),
  );
}
