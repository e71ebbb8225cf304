import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Connection, openReader, openWriter } from "./connection.ts";
import { GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { failures, type Reply, type WriterRequest } from "./protocol.ts";

let folder: string;
let db: Connection;
let outside: Connection;
/** Each entry is one message to the callers, with what another connection could see when it was sent. */
let sent: { replies: Reply[]; visible: number }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stoa-group-"));
  db = openWriter(join(folder, "stoa.db"));
  db.exec("create table t (id integer primary key)");
  db.exec("create table late (id integer references t (id) deferrable initially deferred)");
  outside = openReader(join(folder, "stoa.db"));
  sent = [];
});
afterEach(() => {
  outside.close();
  db.close();
  rmSync(folder, { recursive: true });
});

const visible = () => outside.prepare("select count(*) from t").pluck().get() as number;

function writer(options: Partial<GroupCommitOptions> = {}): GroupCommit {
  return new GroupCommit(db, {
    idleInTransactionMs: 60_000,
    maxGroupMs: 60_000,
    reply: (replies) => sent.push({ replies, visible: visible() }),
    ...options,
  });
}

const insert = (value: number) => ({ sql: "insert into t values (?)", parameters: [value] });
const run = (id: number, ...values: number[]): WriterRequest => ({
  id,
  kind: "run",
  statements: values.map(insert),
});
const step = (id: number, transaction: number, value: number, first = false): WriterRequest => ({
  id,
  kind: "step",
  transaction,
  first,
  recovers: false,
  statement: insert(value),
});
const end = (id: number, transaction: number, commit = true): WriterRequest => ({
  id,
  kind: "end",
  transaction,
  commit,
});
const outcomes = () =>
  Object.fromEntries(
    sent.flatMap(({ replies }) =>
      replies.map((reply) => [reply.id, "result" in reply ? "ok" : reply.failure.code]),
    ),
  );

describe("a group", () => {
  test("is acknowledged together, and not before its commit", () => {
    writer().receive([run(1, 1), run(2, 2, 3), run(3, 4)]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.replies.map((reply) => reply.id)).toEqual([1, 2, 3]);
    expect(sent[0]?.visible).toBe(4);
  });

  test("takes in what arrives while it is open", () => {
    const arriving = [[run(2, 2)], [run(3, 3), run(4, 4)]];
    writer({ arrived: () => arriving.shift() ?? [] }).receive([run(1, 1)]);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ visible: 4, replies: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] });
  });

  test("is closed when it is large enough, and those in it are told at once", () => {
    let next = 10;
    // Requests that never stop must not keep the first ones from being answered.
    const arrived = () => (next < 30 ? [run(next, next++)] : []);
    writer({ maxGroup: 5, arrived }).receive([run(1, 1)]);
    expect(sent.map(({ replies, visible }) => [replies.length, visible])).toEqual([
      [5, 5],
      [5, 10],
      [5, 15],
      [5, 20],
      [1, 21],
    ]);
  });

  test("is closed when its first has waited long enough", () => {
    writer({ maxGroupMs: 0 }).receive([run(1, 1), run(2, 2)]);
    expect(sent.map(({ replies }) => replies.length)).toEqual([1, 1]);
  });

  test("loses only the one that fails, wholly", () => {
    writer().receive([run(1, 1), run(2, 2, 1, 3), run(3, 1), run(4, 4)]);
    expect(outcomes()).toEqual({
      1: "ok",
      2: "SQLITE_CONSTRAINT_PRIMARYKEY",
      3: "SQLITE_CONSTRAINT_PRIMARYKEY",
      4: "ok",
    });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([1, 4]);
  });

  test("fails as a whole when its commit fails", () => {
    const orphan: WriterRequest = {
      id: 2,
      kind: "run",
      statements: [{ sql: "insert into late values (99)", parameters: [] }],
    };
    const group = writer();
    group.receive([run(1, 1), orphan, run(3, 3)]);
    const failed = "SQLITE_CONSTRAINT_FOREIGNKEY";
    expect(outcomes()).toEqual({ 1: failed, 2: failed, 3: failed });
    expect(visible()).toBe(0);
    group.receive([run(4, 4)]);
    expect(outcomes()).toMatchObject({ 4: "ok" });
  });

  test("fails as a whole when a statement ends it early", () => {
    const meddling: WriterRequest = { id: 2, kind: "run", statements: [{ sql: "rollback", parameters: [] }] };
    writer().receive([run(1, 1), meddling, run(3, 3)]);
    expect(outcomes()).toEqual({ 1: failures.lost, 2: failures.lost, 3: "ok" });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([3]);
  });

  test("is refused when another process does not let it write", () => {
    db.pragma("busy_timeout = 1");
    const other = openWriter(join(folder, "stoa.db"));
    other.exec("begin immediate");
    const group = writer();
    group.receive([run(1, 1), step(2, 7, 2, true)]);
    expect(outcomes()).toEqual({ 1: "SQLITE_BUSY", 2: "SQLITE_BUSY" });
    other.exec("rollback");
    other.close();
    group.receive([run(3, 3), end(4, 7, false)]);
    expect(outcomes()).toMatchObject({ 3: "ok", 4: "ok" });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([3]);
  });
});

describe("a transaction that its caller leads", () => {
  test("has the writer to itself; others follow and share its commit", () => {
    const group = writer();
    group.receive([step(1, 7, 1, true), run(2, 10), run(3, 11)]);
    expect(outcomes()).toEqual({ 1: "ok" });
    expect(visible()).toBe(0);
    group.receive([step(4, 7, 2)]);
    group.receive([end(5, 7)]);
    expect(outcomes()).toEqual({ 1: "ok", 2: "ok", 3: "ok", 4: "ok", 5: "ok" });
    expect(sent.at(-1)).toMatchObject({ visible: 4, replies: [{ id: 5 }, { id: 2 }, { id: 3 }] });
  });

  test("shares a commit with other such transactions", () => {
    writer().receive([step(1, 7, 1, true), step(2, 8, 2, true), end(3, 7), end(4, 8)]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.visible).toBe(2);
  });

  test("takes back only what is its own", () => {
    const group = writer();
    group.receive([run(1, 1), step(2, 7, 2, true)]);
    group.receive([end(3, 7, false), run(4, 4)]);
    expect(outcomes()).toEqual({ 1: "ok", 2: "ok", 3: "ok", 4: "ok" });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([1, 4]);
  });

  test("cannot commit after one of its statements failed", () => {
    const group = writer();
    group.receive([run(1, 1), step(2, 7, 2, true), step(3, 7, 1), step(4, 7, 3), end(5, 7)]);
    expect(outcomes()).toEqual({
      1: "ok",
      2: "ok",
      3: "SQLITE_CONSTRAINT_PRIMARYKEY",
      4: failures.aborted,
      5: failures.aborted,
    });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([1]);
  });

  test("that keeps the writer waiting is rolled back; those behind it get their turn", async () => {
    const answered = Promise.withResolvers<void>();
    const group = writer({
      idleInTransactionMs: 20,
      reply: (replies) => {
        sent.push({ replies, visible: visible() });
        if (replies.some((reply) => reply.id === 2)) answered.resolve();
      },
    });
    group.receive([step(1, 7, 1, true), run(2, 2)]);
    await answered.promise;
    group.receive([step(3, 7, 3), end(4, 7)]);
    expect(outcomes()).toEqual({ 1: "ok", 2: "ok", 3: failures.idle, 4: failures.idle });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([2]);
  });

  test("is told when the group that it is part of is lost", () => {
    const group = writer();
    group.receive([run(1, 1), step(2, 7, 2, true)]);
    const meddling = { sql: "rollback", parameters: [] };
    group.receive([
      { id: 3, kind: "step", transaction: 7, first: false, recovers: false, statement: meddling },
      step(4, 7, 4),
      end(5, 7),
      run(6, 6),
    ]);
    expect(outcomes()).toMatchObject({ 1: failures.lost, 4: failures.lost, 5: failures.lost, 6: "ok" });
    expect(outside.prepare("select id from t").pluck().all()).toEqual([6]);
  });
});
