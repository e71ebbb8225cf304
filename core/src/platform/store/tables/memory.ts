export interface MemoriesTable {
  workspace_id: string;
  category: string;
  key: string;
  content: string;
  created_at: number;
  updated_at: number;
}

export interface MemoryTables {
  memories: MemoriesTable;
}
