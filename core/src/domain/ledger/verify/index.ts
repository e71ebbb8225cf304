export { type VerifyFileOptions, verifyFile } from "./file.ts";
export type { Problem, ProblemCode, Progress, VerifyReport } from "./report.ts";
export { type VerifyStoreOptions, verifyStore } from "./store.ts";
