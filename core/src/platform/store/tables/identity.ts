export interface WorkspacesTable {
  id: string;
  created_at: number;
}

export interface ApiKeysTable {
  id: string;
  workspace_id: string;
  user_id: string;
  name: string;
  role: "admin" | "member" | "viewer";
  /** Only the hash is kept: whoever reads the database cannot use the keys in it. */
  hash: string;
  /** The first characters of the key, so that people can tell their keys apart. */
  prefix: string;
  created_at: number;
  /** Null for a key that works until it is revoked. */
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface IdentityTables {
  workspaces: WorkspacesTable;
  api_keys: ApiKeysTable;
}
