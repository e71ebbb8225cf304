export { type GeneratedFile, generate, type Language, languages } from "./generate.ts";
export { compareGenerated, type FileState, writeGenerated } from "./output.ts";
export type { CodegenCapability, CodegenSource } from "./plan.ts";
