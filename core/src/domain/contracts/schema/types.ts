/**
 * Which JSON Schema a document is read as: the subset of draft-07 that capabilities.yaml is written in, the
 * whole of draft-07, or 2020-12.
 */
export type SchemaDialect = "subset" | "draft-07" | "2020-12";

/** One way in which a value fails its schema. `path` is an RFC 6901 pointer, and `/` for the root. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** The seam: what a capability's schema can be asked, whatever engine answers. */
export interface CapabilityValidator {
  readonly dialect: SchemaDialect;
  /** An empty list means valid. Of JSON, no value makes it throw. */
  validate(value: unknown): Violation[];
}

/** One reason why a schema is refused at load. `path` is an RFC 6901 pointer into the schema. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export type JsonSchema = JsonObject | boolean;

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean" | "null";
export type SubsetFormat = "uuid" | "email" | "uri" | "uri-reference" | "date-time";

/** A schema of capabilities.yaml, in the seed's subset of draft-07. Keys keep the order of the file. */
export interface SubsetSchema {
  readonly $schema?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly properties?: { readonly [name: string]: SubsetSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SubsetSchema;
  readonly items?: SubsetSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly oneOf?: readonly SubsetSchema[];
  readonly anyOf?: readonly SubsetSchema[];
  readonly allOf?: readonly SubsetSchema[];
  readonly not?: SubsetSchema;
  /** `#/definitions/<name>`; as draft-07 has it, keywords beside it are not looked at. */
  readonly $ref?: string;
  readonly format?: SubsetFormat;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly definitions?: { readonly [name: string]: SubsetSchema };
}
