import { type Kysely, sql } from "kysely";
import { StoaError } from "#platform/errors";
import { columnTypes, type Dialect, type Migration } from "./migration.ts";

interface HistoryTable {
  name: string;
  applied_at: number;
}
type History = { stoa_migrations: HistoryTable };

/** Any number will do, as long as every Stoa uses the same and nobody else does. */
const lockKey = 7_406_773_774;

/**
 * Brings the schema up to date and returns the names of what was applied. Two cores that start together do not
 * apply a step twice: each step is a transaction that takes the lock first and looks again under it.
 */
export async function migrate(
  db: Kysely<unknown>,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<string[]> {
  const done = await inLock(db, dialect, async (trx) => {
    await createHistory(trx, dialect);
    const applied = await appliedNames(trx);
    refuseNewer(applied, migrations);
    return applied;
  });

  const applied: string[] = [];
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    const ran = await inLock(db, dialect, async (trx) => {
      const now = await appliedNames(trx);
      if (now.has(migration.name)) return false;
      await apply(migration, trx, dialect);
      const history = trx as unknown as Kysely<History>;
      await history
        .insertInto("stoa_migrations")
        .values({ name: migration.name, applied_at: Date.now() })
        .execute();
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

async function apply(migration: Migration, trx: Kysely<unknown>, dialect: Dialect): Promise<void> {
  try {
    await migration.up(trx, columnTypes(dialect));
  } catch (thrown) {
    const { code, message } = StoaError.from(thrown);
    throw new StoaError(code, `The schema step ${migration.name} could not be applied: ${message}`, {
      cause: thrown,
    });
  }
}

async function inLock<T>(
  db: Kysely<unknown>,
  dialect: Dialect,
  fn: (trx: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    // SQLite needs no lock of ours: a write transaction there holds the only one there is from its start.
    if (dialect === "postgres") {
      await sql`set local statement_timeout = 0`.execute(trx);
      await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(trx);
    }
    return fn(trx);
  });
}

async function createHistory(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const { text, integer } = columnTypes(dialect);
  await db.schema
    .createTable("stoa_migrations")
    .ifNotExists()
    .addColumn("name", text, (c) => c.primaryKey())
    .addColumn("applied_at", integer, (c) => c.notNull())
    .execute();
}

async function appliedNames(db: Kysely<unknown>): Promise<Set<string>> {
  const rows = await (db as unknown as Kysely<History>)
    .selectFrom("stoa_migrations")
    .select("name")
    .execute();
  return new Set(rows.map((row) => row.name));
}

function refuseNewer(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return;
  const newest = migrations.at(-1)?.name ?? "none";
  throw new StoaError(
    "STORE_TOO_NEW",
    `The database has schema steps that this Stoa does not know (${unknown.join(", ")}; it knows them up to ` +
      `${newest}). Run the version that wrote them, or a later one.`,
    { details: { unknown, newest } },
  );
}
