import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../index.ts";
import { type Harness, ids, insert, of } from "./harness.ts";
import { many, prepareMany } from "./many.ts";

const run = promisify(execFile);
const readMany = fileURLToPath(new URL("./read-many.child.ts", import.meta.url));

export function streamTests(harness: Harness): void {
  const { open, fresh } = harness;
  describe("streams", () => {
    let store: Store;
    beforeEach(() => {
      store = harness.store();
    });

    const prepare = (count: number) => prepareMany(store, count);
    const stream = (chunk: number) => many(store).stream(chunk);

    test("give all rows in order and never hold many of them", async () => {
      const location = await fresh();
      await prepareMany(await open(location), 20_000);
      // 390 MiB of text pass through a heap of 96 MiB; to read them all at once is more than it holds.
      const read = (how: string) =>
        run(process.execPath, ["--max-old-space-size=96", readMany, JSON.stringify(location), how]);
      expect((await read("stream")).stdout).toBe("20000\n");
      await expect(read("execute")).rejects.toThrow();
    });

    test("show one moment, let others write meanwhile, and can be left early", async () => {
      await prepare(1_000);
      let seen = 0;
      for await (const _ of stream(10)) {
        if (seen++ === 0) await of(store).deleteFrom("things").where("n", ">", 500).execute();
        expect(await of(store).selectFrom("things").select("id").where("n", "=", 900).execute()).toEqual([]);
        if (seen === 100) break;
      }
      seen = 0;
      for await (const _ of stream(1_000)) seen++;
      expect(seen).toBe(501);
    });

    test("more of them than there are threads or connections work at the same time", async () => {
      await prepare(500);
      const open = Array.from({ length: 3 }, () => stream(10)[Symbol.asyncIterator]());
      for (const each of open) expect((await each.next()).done).toBe(false);
      await insert(store, "meanwhile");
      for (const each of open) await each.return?.();
    });

    test("are refused inside a transaction and for what does not read", async () => {
      const inside = store.transaction(async (trx) => {
        for await (const _ of of(trx).selectFrom("things").selectAll().stream()) break;
      });
      await expect(inside).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
      const writing = of(store).insertInto("things").values({ id: "a" }).returning("id").stream();
      await expect(writing.next()).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
      expect(await ids(store)).toEqual([]);
    });

    test("that nobody reads are closed", async () => {
      const impatient = await open(await fresh(), { streamIdleMs: 200 });
      for (let i = 0; i < 30; i++) await insert(impatient, String(i));
      const rows = of(impatient).selectFrom("things").selectAll().stream(10);
      await rows.next();
      // Until the other side has closed it: a reader that only waits would wait for ever.
      const left = async () => {
        for (let i = 0; i < 9; i++) await rows.next();
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        for (;;) if ((await rows.next()).done) return;
      };
      await expect(left()).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    });

    test("that are left lying about do not use up what others need", async () => {
      const impatient = await open(await fresh(), { streamIdleMs: 200 });
      for (let i = 0; i < 30; i++) await insert(impatient, String(i));
      const begin = () => of(impatient).selectFrom("things").selectAll().stream(10).next();
      for (let i = 0; i < 12; i++) expect((await begin()).done).toBe(false);
    });
  });
}
