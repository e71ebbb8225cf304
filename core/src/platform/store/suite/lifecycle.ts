import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, insert, of } from "./harness.ts";

export function lifecycleTests(harness: Harness): void {
  const { open, fresh } = harness;
  describe("opening and closing", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    test("closing lets running work finish and takes no more", async () => {
      const place = await fresh();
      const closing = await open(place);
      const writes = Array.from({ length: 200 }, (_, i) => insert(closing, String(i)));
      const slow = closing.transaction(async (trx) => {
        await insert(trx, "slow-1");
        await insert(trx, "slow-2");
      });
      // One turn of the loop, so that all of them are on their way.
      await new Promise((resolve) => setImmediate(resolve));
      const closed = closing.close();
      await expect(insert(closing, "late")).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
      await expect(closing.ping()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
      await Promise.all([...writes, slow, closed, closing.close()]);
      const again = await open(place);
      expect(await ids(again)).toHaveLength(202);
    });

    test("closing does not wait for ever", async () => {
      const closing = await open(await fresh(), { idleInTransactionMs: 200 });
      const begun = Promise.withResolvers<void>();
      const forever = closing.transaction(async (trx) => {
        await insert(trx, "a");
        begun.resolve();
        await new Promise(() => undefined);
      });
      forever.catch(() => undefined);
      await begun.promise;
      await closing.close();
    });

    test("closing does not wait for those who read at leisure, and tells them", async () => {
      const closing = await open(await fresh());
      for (let i = 0; i < 30; i++) await insert(closing, String(i));
      const rows = of(closing).selectFrom("things").selectAll().stream(10);
      await rows.next();
      await closing.close();
      const rest = async () => {
        while (!(await rows.next()).done);
      };
      await expect(rest()).rejects.toMatchObject({ name: "StoaError" });
    });

    test("more work at one time than agreed is refused, and the rest done", async () => {
      const small = await open(await fresh(), { maxPending: 50 });
      const results = await Promise.allSettled(
        Array.from({ length: 200 }, (_, i) => insert(small, String(i))),
      );
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toHaveLength(150);
      expect(refused.every(({ reason }) => reason.code === "RATE_LIMITED")).toBe(true);
      expect(await ids(small)).toHaveLength(50);
    });

    test("a ping is answered", async () => {
      await store.ping();
    });
  });
}
