export type { Sandbox, SandboxDriver, SandboxExit, SandboxSpec } from "./driver.ts";
export { createProcessDriver } from "./process-driver.ts";
