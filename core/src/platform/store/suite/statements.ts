import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, insert, of } from "./harness.ts";

export function statementTests(harness: Harness): void {
  describe("statements", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    test("say what they changed and return what they wrote", async () => {
      const inserted = await of(store)
        .insertInto("things")
        .values([{ id: "a" }, { id: "b" }])
        .returning("id")
        .execute();
      expect(inserted).toEqual([{ id: "a" }, { id: "b" }]);
      const updated = await of(store).updateTable("things").set({ n: 1 }).executeTakeFirst();
      expect(updated.numUpdatedRows).toBe(2n);
      const gone = await of(store).deleteFrom("things").where("id", "=", "a").executeTakeFirst();
      expect(gone.numDeletedRows).toBe(1n);
    });

    test("insert or update", async () => {
      for (const n of [1, 2]) {
        await of(store)
          .insertInto("things")
          .values({ id: "a", n })
          .onConflict((c) => c.column("id").doUpdateSet((e) => ({ n: e.ref("excluded.n") })))
          .execute();
      }
      expect(await of(store).selectFrom("things").select("n").execute()).toEqual([{ n: 2 }]);
    });

    test("that break a rule say which", async () => {
      await insert(store, "a");
      await expect(insert(store, "a")).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        details: { table: "things", constraint: expect.stringContaining("things") },
      });
      const orphan = of(store).insertInto("parts").values({ id: "p", thing_id: "nobody" }).execute();
      await expect(orphan).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      const nameless = sql`insert into parts (id) values ('p')`.execute(store.db);
      await expect(nameless).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("parts.thing_id"),
      });
    });

    test("that make no sense are our fault, and their text goes to the log alone", async () => {
      const nonsense = sql`select * from nowhere where secret = ${"hidden"}`.execute(store.db);
      const error = await nonsense.catch((thrown) => thrown);
      expect(error).toMatchObject({ code: "INTERNAL", cause: { sql: expect.stringContaining("nowhere") } });
      expect(error.message).not.toContain("nowhere");
    });

    test("written by many at once all arrive, except those that fail", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 500 }, (_, i) => insert(store, String(i % 7 === 0 ? "same" : i))),
      );
      const failed = results.filter((result) => result.status === "rejected");
      expect(failed).toHaveLength(71);
      expect(failed.every(({ reason }) => reason.code === "ALREADY_EXISTS")).toBe(true);
      expect(await ids(store)).toHaveLength(500 - 71);
    });

    test("that were acknowledged are seen by the next read", async () => {
      for (let i = 0; i < 50; i++) {
        await insert(store, String(i));
        const row = await of(store).selectFrom("things").select("id").where("id", "=", String(i)).execute();
        expect(row).toHaveLength(1);
      }
    });
  });
}
