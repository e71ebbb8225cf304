export {
  type CompileOptions,
  type CompileResult,
  compileSchema,
  problemText,
  tryCompileSchema,
} from "./compile.ts";
export { dialectOfSchema } from "./dialects.ts";
export type {
  CapabilityValidator,
  Json,
  JsonObject,
  JsonSchema,
  SchemaDialect,
  SchemaProblem,
  SchemaType,
  SubsetFormat,
  SubsetSchema,
  Violation,
} from "./types.ts";
