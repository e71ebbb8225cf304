export interface AgentsTable {
  id: string;
  /** Null for a definition that belongs to the core, not to one workspace. */
  workspace_id: string | null;
  /** The principal that first registered this id. */
  owner: string;
  kind: "native" | "registered";
  name: string;
  author: string | null;
  config_json: string;
  skills_json: string;
  callback_address: string | null;
  did: string | null;
  public_key_pem: string | null;
  url: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  last_heartbeat_at: number | null;
}

export interface AgentTables {
  agents: AgentsTable;
}
