import { StoaError } from "#platform/errors";
import { createValidator } from "./engine/index.ts";
import { type ReadResult, readSchema } from "./read.ts";
import type { CapabilityValidator, SchemaDialect, SchemaProblem } from "./types.ts";

export interface CompileOptions {
  /**
   * What a schema without `$schema` is read as, and which family the place takes: `subset` (the default)
   * reads draft-07's own address as the subset too.
   */
  readonly dialect?: SchemaDialect;
}

/** Compiles a schema once. @throws StoaError SCHEMA_INVALID with every problem in `details.problems`. */
export function compileSchema(schema: unknown, options: CompileOptions = {}): CapabilityValidator {
  const result = tryCompileSchema(schema, options);
  if (result.validator) return result.validator;
  const listed = result.problems.map(problemText);
  throw new StoaError("SCHEMA_INVALID", listed.join("; "), { details: { problems: result.problems } });
}

export interface CompileResult {
  readonly dialect: SchemaDialect;
  /** Absent where there are problems. */
  readonly validator?: CapabilityValidator;
  readonly problems: readonly SchemaProblem[];
}

/** The same for callers that collect problems from many places. */
export function tryCompileSchema(schema: unknown, options: CompileOptions = {}): CompileResult {
  const read: ReadResult = readSchema(schema, options.dialect ?? "subset");
  const { graph, dialect, problems } = read;
  if (!graph) return { dialect, problems };
  return { dialect, validator: createValidator(graph), problems };
}

/** `unsupported keyword "patternProperties" at /properties/x` */
export function problemText({ path, message }: SchemaProblem): string {
  return `${message} at ${path}`;
}
