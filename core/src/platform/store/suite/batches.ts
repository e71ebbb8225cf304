import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, of } from "./harness.ts";

export function batchTests(harness: Harness): void {
  describe("batches", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    const query = (id: string) => of(store).insertInto("things").values({ id }).compile();

    test("are all or nothing", async () => {
      await store.batch([]);
      await store.batch([query("one")]);
      await store.batch(["a", "b", "c"].map(query));
      await expect(store.batch(["d", "e", "a", "f"].map(query))).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
      });
      expect(await ids(store)).toEqual(["a", "b", "c", "one"]);
    });

    test("of many at once stay whole", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, i) => store.batch([query(`${i}a`), query(i % 6 ? `${i}b` : `${i}a`)])),
      );
      expect(results.filter((result) => result.status === "rejected")).toHaveLength(10);
      expect(await ids(store)).toHaveLength(100);
    });
  });
}
