import { createServer } from "node:net";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { createLogger } from "#platform/log";
import { describeWith } from "../../../../../test/services/index.ts";
import { openStore, type Store, type StoreOptions } from "../index.ts";

const log = createLogger({ level: "silent" });
const opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});
async function open(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ url }, { log, ...options });
  opened.push(store);
  return store;
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("a database URL", () => {
  test.each(["mysql://u:s3cret@h/d", "postgres//u:s3cret@h/d", "postgres://u:s3cret@h:port/d", ""])(
    "that makes no sense is refused without being shown: %s",
    async (url) => {
      const error = await open(url).catch((thrown) => thrown);
      expect(error).toMatchObject({ code: "CONFIG_INVALID" });
      expect(String(error.stack)).not.toContain("s3cret");
      expect(error.cause).toBeUndefined();
    },
  );

  test("where nobody answers is tried several times, and the error says what was tried", async () => {
    const port = await closedPort();
    const error = await open(`postgresql://ann:s3cret@127.0.0.1:${port}/things`, {
      connectAttempts: 3,
    }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: "STORE_UNREACHABLE",
      details: { host: "127.0.0.1", port, database: "things", user: "ann", attempts: 3 },
    });
    for (const part of [`127.0.0.1:${port}`, "things", "ann", "3 attempts", "ECONNREFUSED"]) {
      expect(error.message).toContain(part);
    }
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain("s3cret");
  });

  test("where nobody answers is given up when the caller has enough", async () => {
    const enough = new AbortController();
    const url = `postgres://u@127.0.0.1:${await closedPort()}/d`;
    const opening = open(url, { connectAttempts: 1_000_000, signal: enough.signal });
    setImmediate(() => enough.abort());
    await expect(opening).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(open(url, { signal: enough.signal })).rejects.toMatchObject({ code: "CANCELLED" });
  });

  test("where somebody answers who is no database is an error too", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(open(`postgres://u@127.0.0.1:${port}/d`, { connectAttempts: 2 })).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      details: { attempts: 2 },
    });
    server.close();
  });
});

describeWith(["postgres"], "PostgreSQL", (services) => {
  const table = async (store: Store) => {
    await sql`create table t (id bigint primary key, n bigint)`.execute(store.db);
    return store.db as unknown as Kysely<{ t: { id: number; n: number } }>;
  };

  test("that refuses the password or has no such database is asked once", async () => {
    const { url } = await services.postgres();
    const wrong = new URL(url);
    wrong.password = "s3cret-wrong";
    const error = await open(wrong.href).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "STORE_UNREACHABLE", details: { attempts: 1 } });
    expect(error.message).toContain("refused");
    expect(error.message).not.toContain("s3cret");
    wrong.href = url;
    wrong.pathname = "/nowhere";
    await expect(open(wrong.href)).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      details: { attempts: 1, database: "nowhere" },
    });
  });

  test("ends a statement that takes too long, and goes on", async () => {
    const { url } = await services.postgres();
    const store = await open(url, { statementTimeoutMs: 200 });
    await expect(sql`select pg_sleep(600)`.execute(store.db)).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    await store.ping();
  });

  test("reports a deadlock as a conflict for one, and lets the other through", async () => {
    const { url } = await services.postgres();
    const store = await open(url);
    const db = await table(store);
    await db
      .insertInto("t")
      .values([1, 2].map((id) => ({ id, n: 0 })))
      .execute();
    const holding = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const cross = (first: number, second: number) =>
      store.transaction(async (trx) => {
        const rows = trx as unknown as typeof db;
        await rows.updateTable("t").set({ n: first }).where("id", "=", first).execute();
        holding[first - 1]?.resolve();
        await holding[second - 1]?.promise;
        await rows.updateTable("t").set({ n: first }).where("id", "=", second).execute();
      });
    const results = await Promise.allSettled([cross(1, 2), cross(2, 1)]);
    const failed = results.filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatchObject({ code: "STORE_CONFLICT" });
  });

  test("reports two serializable transactions that cannot both be as a conflict", async () => {
    const { url } = await services.postgres();
    const store = await open(url);
    const db = await table(store);
    await db
      .insertInto("t")
      .values([1, 2].map((id) => ({ id, n: 0 })))
      .execute();
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const skew = (mine: number, other: number) =>
      db
        .transaction()
        .setIsolationLevel("serializable")
        .execute(async (trx) => {
          await trx.selectFrom("t").selectAll().where("id", "=", other).execute();
          both[mine - 1]?.resolve();
          await both[other - 1]?.promise;
          await trx.updateTable("t").set({ n: 1 }).where("id", "=", mine).execute();
        });
    const results = await Promise.allSettled([skew(1, 2), skew(2, 1)]);
    const failed = results.filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatchObject({ code: "STORE_CONFLICT" });
  });

  test("gives slow streams connections of their own", async () => {
    const { url } = await services.postgres();
    const store = await open(url, { poolSize: 1 });
    const db = await table(store);
    await db
      .insertInto("t")
      .values([1, 2, 3].map((id) => ({ id, n: 0 })))
      .execute();
    const streams = [1, 2].map(() => db.selectFrom("t").selectAll().stream(1));
    for (const stream of streams) await stream.next();
    await db.insertInto("t").values({ id: 4, n: 0 }).execute();
    for (const stream of streams) await stream.return?.();
  });

  test("acknowledges nothing before it is written, whatever its default", async () => {
    const { url } = await services.postgres();
    const admin = new pg.Client(url);
    await admin.connect();
    await admin.query(`alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
    await admin.end();
    const store = await open(url);
    const shown = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(store.db);
    expect(shown.rows).toEqual([{ synchronous_commit: "on" }]);
  });

  test("may drop connections: whoever has one is told, the next one gets another", async () => {
    const { url } = await services.postgres();
    const store = await open(url, { poolSize: 3 });
    const db = await table(store);
    await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`.execute(store.db)));
    const using = store.transaction(async (trx) => {
      const pid = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      const admin = new pg.Client(url);
      await admin.connect();
      await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stoa' \
        and datname = current_database()",
      );
      await admin.end();
      expect(pid.rows).toHaveLength(1);
      await sql`insert into t values (1, 1)`.execute(trx);
    });
    await expect(using).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    // Connections that lay idle may be found dead only when used: each such use is told, none is lost in silence.
    for (let i = 0; i < 4; i++) {
      await db
        .insertInto("t")
        .values({ id: 10 + i, n: 0 })
        .execute()
        .catch((thrown) => expect(thrown).toMatchObject({ code: "STORE_UNREACHABLE" }));
    }
    await store.ping();
    expect(await db.selectFrom("t").select("id").where("id", "=", 1).execute()).toEqual([]);
  });

  test("may be killed and come back: work in progress is told, later work goes through", async () => {
    const server = await services.ownPostgres();
    try {
      const store = await open(server.url);
      const db = await table(store);
      const sleeping = sql`select pg_sleep(600)`.execute(store.db);
      const told = expect(sleeping).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
      await db.insertInto("t").values({ id: 1, n: 1 }).execute();
      await server.kill9();
      await told;
      // The first may still meet a connection that died; a later one finds that there is nobody to connect to.
      const refusal = () =>
        store.ping().then(
          () => undefined,
          (error: unknown) => error,
        );
      expect(await refusal()).toMatchObject({ code: "STORE_UNREACHABLE" });
      await expect.poll(refusal, { timeout: 30_000 }).toMatchObject({
        code: "STORE_UNREACHABLE",
        message: expect.stringContaining("ECONNREFUSED"),
      });
      await server.restart();
      await store.ping();
      expect(await db.selectFrom("t").select("id").execute()).toEqual([{ id: 1 }]);
    } finally {
      await server.stop();
    }
  });

  test("may start after the core: the first connection waits for it", async () => {
    const server = await services.ownPostgres();
    try {
      await server.stop();
      const opening = open(server.url, { connectAttempts: 30 });
      await server.restart();
      await (await opening).ping();
    } finally {
      await server.stop();
    }
  });
});
