export type { CapabilityStatus, Tool, ToolCapability } from "./capability.ts";
export { CapabilityCatalogue } from "./catalogue.ts";
export { decidePolicy, type Policy, type PolicyDecision } from "./policy.ts";
export { CapabilityRuntime } from "./runtime.ts";
