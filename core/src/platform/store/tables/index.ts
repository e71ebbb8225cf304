import type { AgentTables } from "./agents.ts";
import type { IdentityTables } from "./identity.ts";
import type { LedgerTables } from "./ledger.ts";
import type { MemoryTables } from "./memory.ts";
import type { SessionTables } from "./sessions.ts";
import type { TaskTables } from "./tasks.ts";

/** Every table, each noun's from its own file. Times are epoch milliseconds, booleans 0 or 1, JSON is text. */
export interface Database
  extends IdentityTables,
    MemoryTables,
    AgentTables,
    LedgerTables,
    SessionTables,
    TaskTables {}

export type { AgentsTable } from "./agents.ts";
export type { ApiKeysTable, WorkspacesTable } from "./identity.ts";
export type { LedgerCheckpointsTable, LedgerRecordsTable, LedgerTilesTable } from "./ledger.ts";
export type { MemoriesTable } from "./memory.ts";
export type { SessionsTable, TurnStepsTable, TurnsTable } from "./sessions.ts";
