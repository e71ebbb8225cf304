import { type Kysely, sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { columnTypes, type Migration, migrations, openStore, type Store } from "../index.ts";
import { type Harness, log, things } from "./harness.ts";

export function schemaTests(harness: Harness): void {
  const { open, fresh } = harness;
  describe("the schema", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    const history = async (at: Store) =>
      (await sql<{ name: string }>`select name from stoa_migrations order by name`.execute(at.db)).rows.map(
        (row) => row.name,
      );

    test("is brought up to date once, by however many start together", async () => {
      const place = await fresh();
      const together = await Promise.all([open(place), open(place), open(place)]);
      for (const each of together) {
        expect(await history(each)).toEqual([...migrations, things].map((migration) => migration.name));
      }
    });

    test("has the tables and columns that the types promise", async () => {
      const tables = await store.db.introspection.getTables();
      const columns = (name: string) =>
        tables.find((table) => table.name === name)?.columns.map((column) => column.name);
      expect(columns("memories")).toEqual([
        "workspace_id",
        "category",
        "key",
        "content",
        "created_at",
        "updated_at",
      ]);
      expect(columns("workspaces")).toEqual(["id", "created_at"]);
      expect(columns("turn_steps")).toEqual(["turn_id", "seq", "kind", "data_json", "created_at"]);
    });

    test("of a newer Stoa is refused and left as it is", async () => {
      const place = await fresh();
      const newer = await open(place);
      await newer.close();
      await expect(openStore(place, { log, migrations: migrations.slice(0, 2) })).rejects.toMatchObject({
        code: "STORE_TOO_NEW",
        message: expect.stringContaining("9000_things"),
      });
      const again = await open(place);
      expect(await history(again)).toContain("9000_things");
    });

    test("step that fails leaves nothing behind, and can be tried again", async () => {
      const place = await fresh();
      const broken: Migration = {
        name: "9001_broken",
        async up(db, types) {
          await db.schema.createTable("half").addColumn("id", types.text).execute();
          await sql`insert into nowhere values (1)`.execute(db);
        },
      };
      const list = [...migrations, things, broken];
      await expect(openStore(place, { log, migrations: list })).rejects.toMatchObject({ code: "INTERNAL" });
      const mended: Migration = {
        name: "9001_broken",
        async up(db, { text, integer, autoIncrement }) {
          await db.schema
            .createTable("half")
            .addColumn("id", integer, autoIncrement)
            .addColumn("t", text)
            .execute();
        },
      };
      const after = await open(place, { migrations: [...migrations, things, mended] });
      const half = after.db as unknown as Kysely<{ half: { id: number; t: string } }>;
      await sql`insert into half (t) values ('a'), ('b')`.execute(half);
      expect(await half.selectFrom("half").selectAll().orderBy("id").execute()).toEqual([
        { id: 1, t: "a" },
        { id: 2, t: "b" },
      ]);
    });

    test("types are the ones of the database in use", () => {
      expect(columnTypes(store.dialect).dialect).toBe(store.dialect);
    });
  });
}
