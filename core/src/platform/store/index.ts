export {
  type ColumnTypes,
  columnTypes,
  type Dialect,
  type Migration,
  migrations,
} from "./migrations/index.ts";
export { openStore, type StoreLocation, type StoreOptions } from "./open.ts";
export type { Store } from "./store.ts";
export type {
  AgentsTable,
  ApiKeysTable,
  Database,
  LedgerCheckpointsTable,
  LedgerRecordsTable,
  LedgerTilesTable,
  MemoriesTable,
  SessionsTable,
  TurnStepsTable,
  TurnsTable,
  WorkspacesTable,
} from "./tables/index.ts";
