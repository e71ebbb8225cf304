import { type Kysely, sql, type Transaction } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "#platform/log";
import {
  columnTypes,
  type Database,
  type Migration,
  migrations,
  openStore,
  type Store,
  type StoreLocation,
  type StoreOptions,
} from "./index.ts";

interface ThingsTable {
  id: string;
  n: number | bigint | null;
  t: string | null;
  b: Uint8Array | null;
}
interface Things {
  things: ThingsTable;
  parts: { id: string; thing_id: string };
}

const log = createLogger({ level: "silent" });

/** A table for the tests, made the way that every table is made. */
const things: Migration = {
  name: "9000_things",
  async up(db, { text, integer, bytes }) {
    await db.schema
      .createTable("things")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("n", integer)
      .addColumn("t", text)
      .addColumn("b", bytes)
      .execute();
    await db.schema
      .createTable("parts")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("thing_id", text, (c) => c.notNull().references("things.id"))
      .execute();
  },
};

/** What every store does, whichever database is beneath. `fresh` gives the place of an empty one. */
export function storeSuite(fresh: () => Promise<StoreLocation>): void {
  const opened = new Set<Store>();
  const open = async (location: StoreLocation, options: Partial<StoreOptions> = {}) => {
    const store = await openStore(location, { log, migrations: [...migrations, things], ...options });
    opened.add(store);
    return store;
  };
  const of = (store: Store | Transaction<Database>) =>
    ("db" in store ? store.db : store) as unknown as Kysely<Things>;
  const insert = (store: Store | Transaction<Database>, id: string, values: Partial<ThingsTable> = {}) =>
    of(store)
      .insertInto("things")
      .values({ id, ...values })
      .execute();
  const ids = async (store: Store) => {
    const rows = await of(store).selectFrom("things").select("id").orderBy("id").execute();
    return rows.map((row) => row.id);
  };

  let store: Store;
  beforeAll(async () => {
    store = await open(await fresh());
  });
  beforeEach(async () => {
    await of(store).deleteFrom("parts").execute();
    await of(store).deleteFrom("things").execute();
  });
  afterAll(async () => {
    await Promise.all([...opened].map((each) => each.close()));
  });

  describe("values", () => {
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

  describe("statements", () => {
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

  describe("transactions", () => {
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
      const impatient = await open(await fresh(), { idleInTransactionMs: 300 });
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

  describe("batches", () => {
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

  describe("streams", () => {
    /** 390 MiB of rows out of little: every number with one text of 20 KiB. */
    const many = () =>
      sql<{ n: number; t: string }>`(select a.n as n, b.t as t from things as a cross join things as b
        where b.id = ${"text"} and a.id <> ${"text"} order by a.n)`;
    const prepare = async (count: number) => {
      await insert(store, "text", { t: "x".repeat(20_480) });
      for (let i = 0; i < count; i += 500) {
        const rows = Array.from({ length: 500 }, (_, j) => ({ id: String(i + j), n: i + j }));
        await of(store).insertInto("things").values(rows).execute();
      }
    };
    const stream = (chunk: number) =>
      of(store).selectFrom(many().as("many")).selectAll().stream(chunk) as AsyncIterable<{
        n: number;
        t: string;
      }>;

    test("give all rows in order and never hold many of them", async () => {
      await prepare(20_000);
      const before = process.memoryUsage().rss;
      let next = 0;
      let most = 0;
      let bytes = 0;
      for await (const row of stream(100)) {
        expect(row.n === next && row.t.length === 20_480).toBe(true);
        bytes += row.t.length;
        next++;
        if (next % 1_000 === 0) most = Math.max(most, process.memoryUsage().rss - before);
      }
      expect(next).toBe(20_000);
      expect(bytes).toBe(20_000 * 20_480);
      expect(most).toBeLessThan(160 * 1024 * 1024);
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
  });

  describe("opening and closing", () => {
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

  describe("the schema", () => {
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
