export interface TasksTable {
  id: string;
  workspace_id: string;
  user_id: string;
  agent_id: string;
  /** The A2A context: the session that the task's turns belong to. */
  context_id: string;
  state: string;
  task_json: string;
  created_at: number;
  updated_at: number;
}

export interface TaskTables {
  tasks: TasksTable;
}
