/** What happened, one row each. Only the sequencer (`seq`) and an erasure touch a row again. */
export interface LedgerRecordsTable {
  id: string;
  workspace_id: string;
  kind: string;
  ts: number;
  agent: string | null;
  correlation: string | null;
  /** Canonical JSON of the fields that stay. */
  meta: string;
  /** The person that the payload is about; goes with it. */
  subject: string | null;
  /** Canonical JSON of the personal fields; null once erased, or where the kind has none. */
  payload: string | null;
  /** Hex; goes with the payload. */
  salt: string | null;
  /** Hex SHA-256 of salt and payload; null where the kind has no personal fields. */
  digest: string | null;
  /** Hex; the leaf of the Merkle tree. */
  leaf: string;
  /** Place in the workspace's chain, from 0; null until the sequencer has been by. */
  seq: number | null;
  /** The erasure record that says who took the payload away. */
  erasure_id: string | null;
}

/** The Merkle tree's nodes, 32 hashes to a row: see domain/ledger/merkle. */
export interface LedgerTilesTable {
  workspace_id: string;
  level: number;
  place: number;
  hashes: Uint8Array;
}

/** Signed statements of what the tree was at a size. A workspace's checkpoints form one line without forks. */
export interface LedgerCheckpointsTable {
  workspace_id: string;
  size: number;
  previous_size: number;
  root: string;
  ts: number;
  key_id: string;
  /** Hex SHA-256 of the checkpoint before this one; null for the first. */
  previous: string | null;
  signature: string;
}

export interface LedgerTables {
  ledger_records: LedgerRecordsTable;
  ledger_tiles: LedgerTilesTable;
  ledger_checkpoints: LedgerCheckpointsTable;
}
