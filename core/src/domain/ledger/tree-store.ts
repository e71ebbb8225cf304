import type { CompiledQuery, Kysely } from "kysely";
import type { Database } from "#platform/store";
import { type Tile, type TileSource, tileBytes, tileHashes } from "./merkle/index.ts";

/** A workspace's tiles in the database: one statement, in which each level is looked up by its key. */
export function tileSource(db: Kysely<Database>, workspaceId: string): TileSource {
  return async (refs) => {
    const [first, ...others] = Map.groupBy(refs, (ref) => ref.level)
      .entries()
      .map(([level, ofLevel]) =>
        db
          .selectFrom("ledger_tiles")
          .select(["level", "place", "hashes"])
          .where("workspace_id", "=", workspaceId)
          .where("level", "=", level)
          .where(
            "place",
            "in",
            ofLevel.map((ref) => ref.place),
          ),
      );
    if (first === undefined) return [];
    const rows = await others.reduce((query, next) => query.unionAll(next), first).execute();
    return rows.map(({ level, place, hashes }) => ({ level, place, hashes: tileHashes(hashes) }));
  };
}

/** Statements that store the tiles; one that grows is written over. */
export function saveTiles(
  db: Kysely<Database>,
  workspaceId: string,
  tiles: readonly Tile[],
): CompiledQuery[] {
  const queries: CompiledQuery[] = [];
  const perStatement = 64;
  for (let at = 0; at < tiles.length; at += perStatement) {
    const rows = tiles.slice(at, at + perStatement).map(({ level, place, hashes }) => ({
      workspace_id: workspaceId,
      level,
      place,
      hashes: tileBytes(hashes),
    }));
    queries.push(
      db
        .insertInto("ledger_tiles")
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(["workspace_id", "level", "place"])
            .doUpdateSet((update) => ({ hashes: update.ref("excluded.hashes") })),
        )
        .compile(),
    );
  }
  return queries;
}
