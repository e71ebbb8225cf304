/**
 * What a schema says, for those who reason about schemas rather than check values by them: the compatibility
 * check and code generation.
 */
export { holds, TooMuchWork } from "../evaluate/index.ts";
export { type FormatName, formats } from "../formats.ts";
export { below, inPlace, type SchemaNode } from "../node.ts";
export { type CodePoints, type Expression, parsePattern, toRe2, wordCharacters } from "../pattern/index.ts";
export { readSchema, type SchemaGraph } from "../read.ts";
export type { Json, JsonObject, SchemaDialect, SchemaType } from "../types.ts";
export { asksNothingItself, endOf } from "./references.ts";
