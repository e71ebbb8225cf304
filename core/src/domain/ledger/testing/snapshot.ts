import type { LedgerCheckpointsTable, LedgerRecordsTable, LedgerTilesTable, Store } from "#platform/store";

/** The ledger's tables as they are, to be put back later: what someone with the database's password could do. */
export interface Snapshot {
  readonly records: LedgerRecordsTable[];
  readonly tiles: LedgerTilesTable[];
  readonly checkpoints: LedgerCheckpointsTable[];
}

export async function takeSnapshot({ db }: Store): Promise<Snapshot> {
  return {
    records: await db.selectFrom("ledger_records").selectAll().execute(),
    tiles: await db.selectFrom("ledger_tiles").selectAll().execute(),
    checkpoints: await db.selectFrom("ledger_checkpoints").selectAll().execute(),
  };
}

export async function putBack(store: Store, { records, tiles, checkpoints }: Snapshot): Promise<void> {
  await store.transaction(async (trx) => {
    for (const table of ["ledger_records", "ledger_tiles", "ledger_checkpoints"] as const) {
      await trx.deleteFrom(table).execute();
    }
    await inserted(records, (rows) => trx.insertInto("ledger_records").values(rows).execute());
    const bytes = tiles.map((tile) => ({ ...tile, hashes: Buffer.from(tile.hashes) }));
    await inserted(bytes, (rows) => trx.insertInto("ledger_tiles").values(rows).execute());
    await inserted(checkpoints, (rows) => trx.insertInto("ledger_checkpoints").values(rows).execute());
  });
}

async function inserted<Row>(rows: readonly Row[], insert: (rows: Row[]) => Promise<unknown>): Promise<void> {
  if (rows.length > 0) await insert([...rows]);
}
