import { identity } from "./0001_identity.ts";
import { memory } from "./0002_memory.ts";
import { agents } from "./0003_agents.ts";
import { ledger } from "./0004_ledger.ts";
import { sessions } from "./0005_sessions.ts";
import { tasks } from "./0006_tasks.ts";
import type { Migration } from "./migration.ts";

/** The schema's history, oldest first: the same for both databases. */
export const migrations: readonly Migration[] = [identity, memory, agents, ledger, sessions, tasks];

export { type ColumnTypes, columnTypes, type Dialect, type Migration } from "./migration.ts";
export { migrate } from "./run.ts";
