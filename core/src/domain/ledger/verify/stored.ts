import type { Kysely } from "kysely";
import type { Database } from "#platform/store";
import { type Checkpoint, fromRow } from "../checkpoint.ts";
import { tileHashes, tileWidth } from "../merkle/index.ts";
import type { Stretch } from "./walk.ts";

const stretchLength = tileWidth * 32;

/** The next stretch is fetched while this one is looked at: the database and the hashing share the time. */
export async function* stretches(
  db: Kysely<Database>,
  workspaceId: string,
  start: number,
  end: number,
): AsyncGenerator<Stretch> {
  const fetch = (from: number) => (from < end ? fetchStretch(db, workspaceId, from, end) : undefined);
  let next = fetch(start);
  while (next !== undefined) {
    const stretch = await next;
    next = fetch(stretch.from + stretch.placed.length);
    // A walk that stops early leaves this one unread; its failure is nobody's then.
    next?.catch(() => {});
    yield stretch;
  }
}

export async function fetchStretch(
  db: Kysely<Database>,
  workspaceId: string,
  from: number,
  end: number,
): Promise<Stretch> {
  // Stretches end where tiles do.
  const to = Math.min(end, (Math.floor(from / stretchLength) + 1) * stretchLength);
  const [rows, tiles] = await Promise.all([
    db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("seq", ">=", from)
      .where("seq", "<", to)
      .orderBy("seq")
      .execute(),
    db
      .selectFrom("ledger_tiles")
      .select(["place", "hashes"])
      .where("workspace_id", "=", workspaceId)
      .where("level", "=", 0)
      .where("place", ">=", Math.floor(from / tileWidth))
      .where("place", "<=", Math.floor((to - 1) / tileWidth))
      .execute(),
  ]);
  const placed = new Array<string | undefined>(to - from).fill(undefined);
  for (const { place, hashes } of tiles) {
    const first = place * tileWidth - from;
    tileHashes(hashes).forEach((leaf, at) => {
      if (first + at >= 0 && first + at < placed.length) placed[first + at] = leaf;
    });
  }
  return { from, placed, rows };
}

export async function* storedCheckpoints(
  db: Kysely<Database>,
  workspaceId: string,
  from: number,
  end: number,
): AsyncGenerator<Checkpoint> {
  let after = from - 1;
  for (;;) {
    const rows = await db
      .selectFrom("ledger_checkpoints")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("size", ">", after)
      .where("size", "<=", end)
      .orderBy("size")
      .limit(1_000)
      .execute();
    for (const row of rows) yield fromRow(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.size;
  }
}

export async function lastPlace(db: Kysely<Database>, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom("ledger_records")
    .select("seq")
    .where("workspace_id", "=", workspaceId)
    .where("seq", "is not", null)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? -1;
}

export async function headSize(db: Kysely<Database>, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom("ledger_checkpoints")
    .select("size")
    .where("workspace_id", "=", workspaceId)
    .orderBy("size", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.size ?? 0;
}
