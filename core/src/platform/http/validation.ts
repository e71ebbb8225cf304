import { Ajv, type ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, FastifySchemaValidationError, FastifyServerOptions } from "fastify";

type Compilers = NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

interface LazyValidator {
  (value: unknown): boolean;
  errors?: FastifySchemaValidationError[] | null;
}

/**
 * The checks of what routes are sent. Each is compiled when its first request comes: to compile them all is a good
 * part of a start, and most routes of a core are not used in most of its runs.
 */
export class Validation {
  readonly #compile = compiler();
  readonly #each: (() => unknown)[] = [];

  readonly #validatorOf: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) =>
    this.#lazily(schema as object, httpPart === "body");

  /** What Fastify is to use in place of its own, which it then does not load. */
  readonly compilers: Compilers = {
    // Fastify's type names the compiler it brings; any that checks and leaves `errors` will do.
    buildValidator: (() => this.#validatorOf) as unknown as NonNullable<Compilers["buildValidator"]>,
    // What routes say of their answers is for /openapi.json; the answers are made of nothing but what they name.
    buildSerializer: () => () => (answer: unknown) => JSON.stringify(answer),
  };

  /** Throws where a route's schema is none: for tests, because a request would be the first to tell. */
  compileAll(): void {
    for (const compile of this.#each) compile();
  }

  #lazily(schema: object, exact: boolean): LazyValidator {
    let compiled: ValidateFunction | undefined;
    const compile = () => {
      compiled ??= this.#compile(schema, exact);
      return compiled;
    };
    this.#each.push(compile);
    const check: LazyValidator = (value) => {
      const validate = compile();
      const valid = validate(value);
      // Fastify looks for them on the function it called.
      check.errors = validate.errors as FastifySchemaValidationError[] | null;
      return valid;
    };
    return check;
  }
}

/**
 * A body is taken as it is: no text becomes a number, nothing is dropped in silence. A query and a path are
 * text by nature, so numbers and flags in them are read.
 */
function compiler(): (schema: object, exact: boolean) => ValidateFunction {
  const common = { strict: false, useDefaults: true, validateFormats: false, logger: false } as const;
  let body: Ajv | undefined;
  let rest: Ajv | undefined;
  return (schema, exact) => {
    if (exact) {
      body ??= new Ajv(common);
      return body.compile(schema);
    }
    rest ??= new Ajv({ ...common, coerceTypes: "array" });
    return rest.compile(schema);
  };
}
