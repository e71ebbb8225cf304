import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, insert, of } from "./harness.ts";

export function transactionTests(harness: Harness): void {
  const { open, fresh } = harness;
  describe("transactions", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    test("are all or nothing, and hand through what their callback threw", async () => {
      await store.transaction(async (trx) => {
        await insert(trx, "a");
        await insert(trx, "b");
      });
      const mine = new Error("mine");
      const failing = store.transaction(async (trx) => {
        await insert(trx, "c");
        throw mine;
      });
      await expect(failing).rejects.toBe(mine);
      expect(await ids(store)).toEqual(["a", "b"]);
    });

    test("see their own writes, which nobody else does until they end", async () => {
      await store.transaction(async (trx) => {
        await insert(trx, "a");
        expect(await of(trx).selectFrom("things").select("id").execute()).toHaveLength(1);
        expect(await ids(store)).toEqual([]);
      });
      expect(await ids(store)).toEqual(["a"]);
    });

    test("that read under a lock and write lose no update", async () => {
      await insert(store, "counter", { n: 0 });
      const increment = () =>
        store.transaction(async (trx) => {
          const { n } = await of(trx)
            .selectFrom("things")
            .select("n")
            .where("id", "=", "counter")
            .forUpdate()
            .executeTakeFirstOrThrow();
          await of(trx)
            .updateTable("things")
            .set({ n: Number(n) + 1 })
            .where("id", "=", "counter")
            .execute();
        });
      await Promise.all(Array.from({ length: 200 }, increment));
      expect(await of(store).selectFrom("things").select("n").execute()).toEqual([{ n: 200 }]);
    });

    test("end with a statement of theirs that failed, even if the callback goes on", async () => {
      await insert(store, "a");
      const stubborn = store.transaction(async (trx) => {
        await insert(trx, "b");
        await expect(insert(trx, "a")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
        await expect(insert(trx, "c")).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
      });
      await expect(stubborn).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
      expect(await ids(store)).toEqual(["a"]);
    });

    test("can go back to a savepoint", async () => {
      const trx = await of(store).startTransaction().execute();
      await trx.insertInto("things").values({ id: "a" }).execute();
      const later = await trx.savepoint("later").execute();
      await expect(later.insertInto("things").values({ id: "a" }).execute()).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
      });
      const back = await later.rollbackToSavepoint("later").execute();
      await back.insertInto("things").values({ id: "b" }).execute();
      await trx.commit().execute();
      expect(await ids(store)).toEqual(["a", "b"]);
    });

    test("side by side do not take each other down", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 100 }, (_, i) =>
          store.transaction(async (trx) => {
            await insert(trx, `${i}-first`);
            await insert(trx, i % 10 === 0 ? `${i}-first` : `${i}-second`);
          }),
        ),
      );
      expect(results.filter((result) => result.status === "rejected")).toHaveLength(10);
      expect(await ids(store)).toHaveLength(180);
    });

    test("do their statements in order, even when they are sent together", async () => {
      await store.transaction(async (trx) => {
        await Promise.all([
          insert(trx, "a", { n: 1 }),
          of(trx).updateTable("things").set({ n: 2 }).where("id", "=", "a").execute(),
          of(trx).updateTable("things").set({ n: 3 }).where("n", "=", 2).execute(),
        ]);
      });
      expect(await of(store).selectFrom("things").select("n").execute()).toEqual([{ n: 3 }]);
    });

    test("that do nothing cost nothing", async () => {
      expect(await store.transaction(async () => "done")).toBe("done");
    });

    test("whose callback never ends are rolled back, and others go on", async () => {
      const impatient = await open(await fresh(), { idleInTransactionMs: 300, poolSize: 1 });
      await insert(impatient, "row", { n: 0 });
      const stuck = Promise.withResolvers<void>();
      const told = Promise.withResolvers<unknown>();
      const holding = Promise.withResolvers<void>();
      const forever = impatient.transaction(async (trx) => {
        await of(trx).updateTable("things").set({ n: 1 }).where("id", "=", "row").execute();
        holding.resolve();
        await stuck.promise;
        await insert(trx, "too-late").catch(told.resolve);
      });
      forever.catch(() => undefined);
      await holding.promise;
      await of(impatient).updateTable("things").set({ n: 2 }).where("id", "=", "row").execute();
      stuck.resolve();
      expect(await told.promise).toMatchObject({
        code: "DEADLINE_EXCEEDED",
        message: expect.stringContaining("use its own handle"),
      });
      await expect(forever).rejects.toThrow();
      const rows = await of(impatient).selectFrom("things").select(["id", "n"]).execute();
      expect(rows).toEqual([{ id: "row", n: 2 }]);
    });
  });
}
