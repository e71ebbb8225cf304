export { canonicalJson } from "./canonical-json.ts";
export { toCef } from "./cef.ts";
export type { Checkpoint } from "./checkpoint.ts";
export type { Continuation } from "./consistency.ts";
export type { Erased, EraseOptions } from "./erase.ts";
export type { ExportedRecord, ExportHeader, ExportLine, ExportPage } from "./export.ts";
export { parsePublicKeys, readTrustedKeys, type TrustedKey } from "./keys.ts";
export {
  type CapabilitySchemaViolationAuditRecord,
  isRecordKind,
  kinds,
  type LedgerRecord,
  type RecordKind,
  type RecordOf,
  recordKinds,
} from "./kinds.ts";
export { createLedger, type Ledger, type LedgerOptions, type VerifyOptions } from "./ledger.ts";
export { linesOf } from "./lines.ts";
export { toOtlp } from "./otlp.ts";
export type { CheckpointSink } from "./outside.ts";
export { checkProof, type Proof, type ProofVerdict, type ProveOptions } from "./prove.ts";
export type { LedgerEntry, LedgerPage, LedgerQuery } from "./query.ts";
export {
  type Problem,
  type ProblemCode,
  type Progress,
  type VerifyReport,
  verifyFile,
} from "./verify/index.ts";
