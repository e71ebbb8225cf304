export { ensureHome } from "./ensure.ts";
export { type HomeLock, isHomeLocked, type LockOptions, lockHome } from "./lock.ts";
export { type RuntimeInfo, readRuntime } from "./runtime.ts";
export { readIfThere, readOrCreateSecretFile, replaceSecretFile } from "./secret-file.ts";
