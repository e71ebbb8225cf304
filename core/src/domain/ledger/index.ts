export { canonicalJson } from "./canonical-json.ts";
export {
  type CapabilitySchemaViolationAuditRecord,
  isRecordKind,
  kinds,
  type LedgerRecord,
  type RecordKind,
  type RecordOf,
  recordKinds,
} from "./kinds.ts";
export { createLedger, type Ledger, type LedgerOptions } from "./ledger.ts";
export type { LedgerEntry, LedgerPage, LedgerQuery } from "./query.ts";
