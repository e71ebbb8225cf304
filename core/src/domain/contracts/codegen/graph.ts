// The one door to the schema reader.

export type { SchemaNode } from "../schema/node.ts";
export { type Expression, parsePattern } from "../schema/pattern/parse.ts";
export { toRe2 } from "../schema/pattern/print.ts";
export { readSchema, type SchemaGraph } from "../schema/read.ts";
export type { Json, JsonObject, SchemaType } from "../schema/types.ts";
