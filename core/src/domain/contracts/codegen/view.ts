import type { Json, SchemaNode } from "#domain/contracts/schema/structure";

/**
 * What a value of a schema looks like to a programmer: the types a language can write down. A view may admit
 * more than its schema (a type knows no patterns), and never less.
 */
export type View =
  | { readonly kind: "unknown" }
  | { readonly kind: "never" }
  | { readonly kind: "literal"; readonly values: readonly Json[] }
  | { readonly kind: "scalar"; readonly type: Scalar }
  | { readonly kind: "array"; readonly item: View }
  | ObjectView
  | { readonly kind: "union"; readonly of: readonly View[] }
  /** A subschema that others refer to, and that has a name for it. */
  | { readonly kind: "ref"; readonly to: SchemaNode };

export interface ObjectView {
  readonly kind: "object";
  readonly fields: readonly Field[];
  /** What further properties hold; undefined where there can be none. */
  readonly rest: View | undefined;
  /** The subschemas it was put together from: a value has to satisfy all of them. */
  readonly nodes: readonly SchemaNode[];
}

export interface Field {
  readonly key: string;
  readonly view: View;
  readonly required: boolean;
  /** Where it was declared, for its description. */
  readonly node: SchemaNode | undefined;
}

export type Scalar = "string" | "integer" | "number" | "boolean" | "null";

export const unknown: View = { kind: "unknown" };
export const never: View = { kind: "never" };
