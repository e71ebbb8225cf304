export interface SessionsTable {
  workspace_id: string;
  user_id: string;
  id: string;
  /** Who answered last: a message that names no agent goes there. */
  last_agent_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface TurnsTable {
  id: string;
  workspace_id: string;
  user_id: string;
  session_id: string;
  /** Place of the turn within its session, from 1. */
  seq: number;
  agent_id: string | null;
  status: string;
  message: string;
  answer: string | null;
  model: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface TurnStepsTable {
  turn_id: string;
  /** Place of the step within its turn, from 1. */
  seq: number;
  kind: string;
  data_json: string;
  created_at: number;
}

export interface SessionTables {
  sessions: SessionsTable;
  turns: TurnsTable;
  turn_steps: TurnStepsTable;
}
