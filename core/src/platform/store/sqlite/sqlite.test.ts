import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "#platform/log";
import { openStore } from "../index.ts";
import { openWriter } from "./connection.ts";
import { openSqlite, type SqliteStore } from "./open.ts";

const run = promisify(execFile);
const log = createLogger({ level: "silent" });
const root = process.getuid?.() === 0;
const settings = { log, idleInTransactionMs: 5_000, streamIdleMs: 60_000, maxPending: 1_000 };

let folder: string;
let home: string;
let store: SqliteStore | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stoa-sqlite-"));
  home = join(folder, "home");
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<SqliteStore> {
  store = await openSqlite(home, settings);
  return store;
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("files", () => {
  test("are readable by their owner alone, and tidy after closing", async () => {
    const umask = process.umask(0);
    try {
      await sql`create table t (a)`.execute((await open()).db);
    } finally {
      process.umask(umask);
    }
    expect(mode(home)).toBe("700");
    for (const name of ["stoa.db", "stoa.db-wal", "stoa.db-shm"]) expect(mode(join(home, name))).toBe("600");
    await store?.close();
    expect(existsSync(join(home, "stoa.db-wal"))).toBe(false);
  });

  test("that sync every commit are what the writer uses", async () => {
    const { db } = await open();
    // Through the writer, whose setting it is: a pragma is not taken for a read.
    const { rows } = await sql<Record<string, unknown>>`pragma synchronous`.execute(db);
    expect(rows).toEqual([{ synchronous: 2 }]);
    expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: "wal" }]);
  });
});

describe("a file that is not a sound database is refused and left as it is", () => {
  const refuse = async (content: Buffer) => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "stoa.db"), content);
    await expect(openStore({ home }, { log })).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: expect.stringContaining(join(home, "stoa.db")),
    });
    expect(readFileSync(join(home, "stoa.db")).equals(content)).toBe(true);
  };
  const sound = async () => {
    const made = await openStore({ home }, { log });
    for (let i = 0; i < 50; i++) {
      await made.db
        .insertInto("workspaces")
        .values({ id: `${i}${"x".repeat(900)}`, created_at: i })
        .execute();
    }
    await made.close();
    return readFileSync(join(home, "stoa.db"));
  };

  test("text", () => refuse(Buffer.from("this is a shopping list\n")));
  test("noise", () => refuse(Buffer.alloc(20_000, 0xa5)));
  test("one that was cut off", async () => {
    const whole = await sound();
    await refuse(whole.subarray(0, whole.length / 2));
  });
  test("one with a damaged page", async () => {
    const content = await sound();
    await refuse(content.fill(0xff, 3 * 4096, 4 * 4096));
  });
  test("but an empty one is a new database", async () => {
    mkdirSync(home);
    writeFileSync(join(home, "stoa.db"), "");
    await (await open()).ping();
  });
});

describe("a home that cannot be used is named", () => {
  const unwritable = { code: "HOME_UNWRITABLE", message: expect.stringContaining("STOA_HOME") };

  test("because a file is in its place", async () => {
    writeFileSync(home, "");
    await expect(openStore({ home }, { log })).rejects.toMatchObject(unwritable);
    await expect(openStore({ home: join(home, "below") }, { log })).rejects.toMatchObject(unwritable);
  });

  test("because this user may not write to it", async () => {
    mkdirSync(home, { mode: 0o755 });
    chmodSync(folder, 0o755);
    if (!root) {
      chmodSync(home, 0o555);
      await expect(openStore({ home }, { log })).rejects.toMatchObject(unwritable);
      return;
    }
    // Nothing is forbidden to root, so somebody else tries.
    const files = new URL("./files.ts", import.meta.url).href;
    const script = `import { prepareFile } from ${JSON.stringify(files)};
      process.setgid(65534); process.setuid(65534);
      try { prepareFile(${JSON.stringify(home)}); console.log("opened"); } catch (e) { console.log(e.code, e.message); }`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toMatch(/^HOME_UNWRITABLE .*STOA_HOME/);
    expect(stdout).toContain(home);
  });

  test.skipIf(!root)("because its database belongs to somebody else", async () => {
    await (await open()).close();
    chownSync(join(home, "stoa.db"), 0, 0);
    chmodSync(home, 0o777);
    chmodSync(folder, 0o755);
    const files = new URL("./files.ts", import.meta.url).href;
    const script = `import { prepareFile } from ${JSON.stringify(files)};
      process.setgid(65534); process.setuid(65534);
      try { prepareFile(${JSON.stringify(home)}); console.log("opened"); } catch (e) { console.log(e.code); }`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe("HOME_UNWRITABLE");
  });
});

describe("a disk that is full", () => {
  test.skipIf(!root)(
    "fails the write with a name for it; what was acknowledged stays, and room helps",
    async (context) => {
      mkdirSync(home);
      const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", home]).catch(
        (e: Error) => e,
      );
      if (mounted instanceof Error)
        return context.skip(`no small file system could be mounted: ${mounted.message}`);
      try {
        const { db } = await open();
        await sql`create table t (id integer primary key, v text)`.execute(db);
        const write = (id: number) => sql`insert into t values (${id}, ${"x".repeat(60_000)})`.execute(db);
        const acknowledged: number[] = [];
        let refused: unknown;
        for (let id = 0; refused === undefined; id++) {
          await write(id).then(
            () => acknowledged.push(id),
            (thrown) => {
              refused = thrown;
            },
          );
        }
        expect(refused).toMatchObject({ code: "STORE_FULL" });
        const { rows } = await sql<{ id: number }>`select id from t order by id`.execute(db);
        expect(rows.map((row) => row.id)).toEqual(acknowledged);
        await run("mount", ["-o", "remount,size=16m", home]);
        await write(1_000_000);
        await store?.close();
      } finally {
        await store?.close();
        await run("umount", ["-l", home]);
      }
    },
  );
});

describe("threads", () => {
  const heavy = () =>
    sql<{
      n: number;
    }>`select count(*) as n from (with recursive c(x) as (select 1 union all select x + 1 from c
      where x < 5000000) select x from c)`.execute((store as SqliteStore).db);

  test("keep a long read away from the event loop, from writes and from other reads", async () => {
    const { db } = await open();
    await sql`create table t (id integer primary key)`.execute(db);
    // More reads than one thread takes at a time: a second one is on its way.
    await Promise.all([1, 2, 3].map((n) => sql`select ${n}`.execute(db)));
    const order: string[] = [];
    const long = heavy().then(() => order.push("long read"));
    await sql`insert into t values (1)`.execute(db);
    order.push("write");
    await sql`select * from t`.execute(db);
    order.push("short read");
    await long;
    expect(order).toEqual(["write", "short read", "long read"]);
  }, 60_000);

  test("a writer that is gone fails everybody who waits, and the store says that it is not well", async () => {
    const { db, threads } = await open();
    await sql`create table t (id integer primary key)`.execute(db);
    const waiting = Array.from({ length: 20 }, (_, i) => sql`insert into t values (${i})`.execute(db));
    const stuck = (store as SqliteStore).transaction(async (trx) => {
      await sql`insert into t values (100)`.execute(trx);
      await threads.writer.terminate();
      await sql`insert into t values (101)`.execute(trx);
    });
    const gone = { code: "UNAVAILABLE", message: expect.stringContaining("stoa-writer") };
    await expect(stuck).rejects.toMatchObject(gone);
    await Promise.allSettled(waiting);
    await expect(store?.ping()).rejects.toMatchObject(gone);
    await expect(sql`insert into t values (102)`.execute(db)).rejects.toMatchObject(gone);
    const { rows } = await sql<{ id: number }>`select id from t where id >= 100`.execute(db);
    expect(rows).toEqual([]);
    await store?.close();
  });

  test("a reader that is gone fails those who wait for it, and another one takes its place", async () => {
    const { db, threads } = await open();
    await sql`select 1`.execute(db);
    const long = heavy();
    const failed = expect(long).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("stoa-reader"),
    });
    await Promise.all([...threads.readers.all].map((reader) => reader.terminate()));
    await failed;
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  test("wait for another process that writes", async () => {
    const { db } = await open();
    await sql`create table t (id integer primary key)`.execute(db);
    const other = openWriter(join(home, "stoa.db"));
    other.exec("begin immediate; insert into t values (1)");
    const mine = sql`insert into t values (2)`.execute(db);
    // The short read is answered while the write waits: only then does the other process let go.
    await sql`select * from t`.execute(db);
    other.exec("commit");
    other.close();
    await mine;
    expect((await sql`select count(*) as n from t`.execute(db)).rows).toEqual([{ n: 2 }]);
  });

  test("tell a callback that waits for the store from inside a transaction what it did", async () => {
    store = await openSqlite(home, { ...settings, idleInTransactionMs: 100 });
    const { db } = store;
    await sql`create table t (id integer primary key)`.execute(db);
    const entangled = store.transaction(async (trx) => {
      await sql`insert into t values (1)`.execute(trx);
      await sql`insert into t values (2)`.execute(db);
      await sql`insert into t values (3)`.execute(trx);
    });
    await expect(entangled).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
      message: expect.stringContaining("own handle"),
    });
    expect((await sql`select id from t`.execute(db)).rows).toEqual([{ id: 2 }]);
  });
});
