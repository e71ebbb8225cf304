/** What other programs may use of the core as a library; everything else is inside. */
export { type CapabilitiesConfig, parseCapabilitiesConfig } from "#domain/contracts/capabilities";
export { type Fleet, loadFleet } from "#domain/contracts/fleet";
export { type Manifest, parseManifest } from "#domain/contracts/manifest";
export { type CapabilityValidator, compileSchema, type Violation } from "#domain/contracts/schema";
export { type LoadedConfig, loadConfig } from "#platform/config";
export { type ErrorCode, isStoaError, StoaError } from "#platform/errors";
export { type RunningCore, startCore } from "./core.ts";
