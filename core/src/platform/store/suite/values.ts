import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, insert, of, type ThingsTable } from "./harness.ts";

export function valueTests(harness: Harness): void {
  describe("values", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    test("come back as they were", async () => {
      const whole = new Uint8Array([9, 1, 2, 3, 9]);
      const rows: ThingsTable[] = [
        { id: "1", n: 0, t: "", b: new Uint8Array() },
        {
          id: "2",
          n: Number.MAX_SAFE_INTEGER,
          t: "żółw 🐢 \u{1F469}\u200D\u{1F680} 'quoted' \\ ",
          b: whole.subarray(1, 4),
        },
        { id: "3", n: -1_791_234_567_890, t: "x".repeat(300_000), b: Buffer.from("bytes of a pool") },
        { id: "4", n: null, t: null, b: null },
      ];
      await of(store).insertInto("things").values(rows).execute();
      const found = await of(store).selectFrom("things").selectAll().orderBy("id").execute();
      expect(found.map(({ b, ...rest }) => ({ ...rest, b: b === null ? null : [...b] }))).toEqual(
        rows.map(({ b, ...rest }) => ({ ...rest, b: b === null ? null : [...b] })),
      );
    });

    test("take a bigint, and count, sum and average as numbers", async () => {
      await insert(store, "a", { n: 40n });
      await insert(store, "b", { n: 2 });
      const row = await of(store)
        .selectFrom("things")
        .select(({ fn }) => [
          fn.countAll<number>().as("count"),
          fn.sum<number>("n").as("sum"),
          fn.avg<number>("n").as("avg"),
        ])
        .executeTakeFirstOrThrow();
      expect(row).toEqual({ count: 2, sum: 42, avg: 21 });
    });

    test.each([
      ["text with U+0000", "a\0b"],
      ["a date", new Date(0)],
      ["a boolean", true],
      ["not a number", Number.NaN],
      ["more than 64 bits", 2n ** 63n],
      ["an object", { a: 1 }],
    ])("refuse %s before it reaches the database", async (_, value) => {
      await expect(insert(store, "bad", { t: value as string })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
      expect(await ids(store)).toEqual([]);
    });

    test("sort by their bytes, and match with regard to case", async () => {
      for (const id of ["b", "a", "B", "Z", "é", "~", "_", "A0"]) await insert(store, id);
      expect(await ids(store)).toEqual(["A0", "B", "Z", "_", "a", "b", "~", "é"]);
      const matched = await of(store).selectFrom("things").select("id").where("id", "like", "b%").execute();
      expect(matched).toEqual([{ id: "b" }]);
    });
  });
}
