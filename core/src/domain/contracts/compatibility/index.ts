export { type AgentComparison, compareFleet, compareWithFile, compareWithRevision } from "./against.ts";
export { assess, type Effect, type SchemaChange } from "./assess.ts";
export {
  type CapabilityVersion,
  type Change,
  type ComparedCapability,
  type Comparison,
  compareCapabilities,
  type DeclaredCapability,
} from "./compare.ts";
export { declarationFile, readDeclared } from "./declared.ts";
export { capabilityFingerprint, fingerprint } from "./fingerprint.ts";
export { type Inclusion, isIncluded } from "./inclusion.ts";
export { type KnownContract, type OfferedContract, type VersionSkew, versionSkew } from "./skew.ts";
