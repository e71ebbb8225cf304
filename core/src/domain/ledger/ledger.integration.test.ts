import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore, type Store } from "#platform/store";
import type { Checkpoint, Ledger, LedgerRecord } from "./index.ts";
import {
  type Fixture,
  invocation,
  onBothDatabases,
  fixture as openFixture,
  quiet,
} from "./testing/fixture.ts";

onBothDatabases("the ledger", (place, dialect) => {
  let fixture: Fixture;
  let store: Store;
  let ledger: Ledger;

  let url: string | undefined;
  beforeEach(async () => {
    url = await place();
    fixture = await openFixture(url);
    store = fixture.store;
    ledger = fixture.open();
  });
  afterEach(() => fixture.close());

  async function places(workspaceId = "w"): Promise<(number | null)[]> {
    const rows = await store.db
      .selectFrom("ledger_records")
      .select("seq")
      .where("workspace_id", "=", workspaceId)
      .orderBy("seq")
      .execute();
    return rows.map((row) => row.seq);
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

  describe("records in a transaction", () => {
    test("exist if it commits, and not if it does not", async () => {
      const { id } = await store.transaction((trx) => ledger.append(trx, invocation(1)));
      await expect(
        store.transaction(async (trx) => {
          await ledger.append(trx, invocation(2));
          throw new Error("changed my mind");
        }),
      ).rejects.toThrow("changed my mind");
      const { entries } = await ledger.query({ workspaceId: "w" });
      expect(entries.map((entry) => entry.id)).toEqual([id]);
      expect(entries[0]?.record).toEqual(invocation(1));
    });

    test("have their leaf from the start, and a place once sequenced", async () => {
      await ledger.record(invocation(1));
      const [waiting] = (await ledger.query({ workspaceId: "w" })).entries;
      expect(waiting).toMatchObject({ seq: null, leaf: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(await ledger.verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 0, waiting: 1 });
      await ledger.sequence("w");
      const [placed] = (await ledger.query({ workspaceId: "w" })).entries;
      expect(placed).toEqual({ ...waiting, seq: 0 });
      expect(await ledger.verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 1, waiting: 0 });
    });

    test("of many writers at once, on two ledgers that sequence meanwhile, make one chain without gaps", async () => {
      const ledgers = [ledger, fixture.open(), fixture.open()];
      const kept = new Set<string>();
      const writer = async (n: number) => {
        for (let i = 0; i < 25; i++) {
          const mine = ledgers[(n + i) % ledgers.length] ?? ledger;
          const fails = i % 5 === 4;
          try {
            const { id } = await store.transaction(async (trx) => {
              const written = await mine.append(trx, invocation(n * 100 + i, { tenantId: `w${n % 2}` }));
              if (fails) throw new Error("no");
              return written;
            });
            kept.add(id);
          } catch (error) {
            expect(fails, String(error)).toBe(true);
          }
        }
      };
      let writing = true;
      const sequencer = async (mine: Ledger) => {
        while (writing) {
          await mine.sequence("w0");
          await mine.sequence("w1");
        }
      };
      const sequencers = ledgers.map(sequencer);
      await Promise.all(upTo(12).map(writer));
      writing = false;
      await Promise.all(sequencers);
      for (const workspaceId of ["w0", "w1"]) {
        await ledger.sequence(workspaceId);
        expect(await places(workspaceId)).toEqual(upTo(6 * 20));
        expect(await fixture.open().verify({ workspaceId })).toMatchObject({
          ok: true,
          size: 120,
          waiting: 0,
        });
      }
      expect(kept.size).toBe(240);
    });

    test("two sequencers at the same moment: every record once", async () => {
      const other = fixture.open();
      for (let round = 0; round < 5; round++) {
        await store.batch(upTo(40).map((i) => ledger.statement(invocation(round * 40 + i)).query));
        await Promise.all([ledger.sequence("w"), other.sequence("w")]);
      }
      expect(await places()).toEqual(upTo(200));
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 200 });
    });

    test("a batch larger than one is taken in several", async () => {
      const small = fixture.open({ batchSize: 7 });
      await store.batch(upTo(50).map((i) => small.statement(invocation(i)).query));
      await small.sequence("w");
      expect(await places()).toEqual(upTo(50));
      expect(await small.checkpoints("w")).toHaveLength(8);
      const order = (await small.exportPage({ workspaceId: "w", from: 0 })).lines.flatMap((line) =>
        line.type === "record" ? [line.ts] : [],
      );
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    });
  });

  test("verification sees nothing wrong in a ledger that is being written, sequenced and erased from", async () => {
    const running = fixture.open({ delayMs: 1, pollMs: 5, batchSize: 20 });
    await running.start();
    let writing = true;
    const writer = async (n: number) => {
      for (let i = 0; writing; i++) {
        const { id } = await running.record(invocation(n * 10_000 + i));
        if (i % 5 === 4) await running.erase({ workspaceId: "w", records: [id], by: "admin", reason: "r" });
      }
    };
    const writers = upTo(3).map(writer);
    try {
      let size = 0;
      for (let round = 0; round < 8 || size < 100; round++) {
        const report = await running.verify({ workspaceId: "w" });
        expect(report.problems).toEqual([]);
        size = report.size;
      }
    } finally {
      writing = false;
      await Promise.all(writers);
      await running.close();
    }
    expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({ ok: true, waiting: 0 });
  });

  describe("after a crash", () => {
    test("between commit and sequencing, the next start goes on", async () => {
      await ledger.record(invocation(1));
      await ledger.sequence("w");
      await ledger.record(invocation(2));
      const next = fixture.open();
      await next.start();
      // Stopping orders what waits: no time has to pass for this to be true.
      await next.close();
      expect(await places()).toEqual([0, 1]);
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({ ok: true, outside: 2 });
    });

    test("between commit and the file outside, the file is brought in step", async () => {
      const path = join(fixture.home, "checkpoints", "w.jsonl");
      await ledger.record(invocation(1));
      await ledger.sequence("w");
      const before = await readFile(path, "utf8");
      await ledger.record(invocation(2));
      await ledger.sequence("w");
      const whole = await readFile(path, "utf8");
      await writeFile(path, before);
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({
        ok: true,
        notes: [expect.stringContaining("1 behind")],
      });
      const next = fixture.open();
      await next.record(invocation(3));
      await next.sequence("w");
      expect((await readFile(path, "utf8")).startsWith(whole)).toBe(true);
      expect(await next.verify({ workspaceId: "w" })).toMatchObject({ ok: true, outside: 3, notes: [] });
    });

    test("in the middle of a line of that file, the line is written again", async () => {
      const path = join(fixture.home, "checkpoints", "w.jsonl");
      for (const n of [1, 2]) {
        await ledger.record(invocation(n));
        await ledger.sequence("w");
      }
      const whole = await readFile(path, "utf8");
      await truncate(path, whole.length - 40);
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({ ok: true });
      const next = fixture.open();
      await next.record(invocation(3));
      await next.sequence("w");
      expect((await readFile(path, "utf8")).startsWith(whole)).toBe(true);
      expect(await next.verify({ workspaceId: "w" })).toMatchObject({ ok: true, outside: 3 });
    });
  });

  test("started, it orders by itself, and tells its sinks", async () => {
    const { promise, resolve } = Promise.withResolvers<Checkpoint>();
    const running = fixture.open({
      delayMs: 1,
      pollMs: 5,
      sinks: [
        { name: "failing", append: () => Promise.reject(new Error("away")) },
        { name: "test", append: async (checkpoint) => resolve(checkpoint) },
      ],
    });
    await running.start();
    await store.transaction((trx) => running.append(trx, invocation(1)));
    expect(await promise).toMatchObject({ workspace: "w", size: 1, v: 1 });
    await running.close();
    await running.record(invocation(2));
    expect(await places()).toEqual(store.dialect === "sqlite" ? [null, 0] : [0, null]);
  });

  test("a workspace's name cannot lead out of the folder of checkpoints", async () => {
    const names = ["../../escape", "a/b", ".", "..", "con:", "ünï", "x".repeat(500)];
    for (const tenantId of names) {
      await ledger.record(invocation(1, { tenantId }));
      await ledger.sequence(tenantId);
      expect(await fixture.open().verify({ workspaceId: tenantId })).toMatchObject({ ok: true, outside: 1 });
    }
  });

  describe("queries", () => {
    const base = 1_800_000_000_000;
    beforeEach(async () => {
      const violation: LedgerRecord = {
        kind: "capability_schema_violation",
        ts: base + 500,
        tenantId: "w",
        capabilityName: "review-pr",
        peerId: "agent://pr-reviewer",
        side: "request",
        violations: [
          { path: "/severity", message: "value not in enum" },
          { path: "/prUrl", message: 'missing required property "prUrl"' },
        ],
        correlationId: "c7",
        sessionId: "s1",
      };
      const queries = upTo(20).map((i) => ledger.statement(invocation(i)).query);
      queries.push(ledger.statement(violation).query);
      queries.push(ledger.statement(invocation(7, { tenantId: "other" })).query);
      await store.batch(queries);
    });
    const ids = async (query: Parameters<Ledger["query"]>[0]) =>
      (await ledger.query(query)).entries.map(({ record }) => record.correlationId);

    test("by kind: the seed's record as it was written", async () => {
      const { entries } = await ledger.query({ workspaceId: "w", kind: "capability_schema_violation" });
      expect(entries.map((entry) => entry.record)).toEqual([
        {
          kind: "capability_schema_violation",
          ts: base + 500,
          tenantId: "w",
          capabilityName: "review-pr",
          peerId: "agent://pr-reviewer",
          side: "request",
          violations: [
            { path: "/severity", message: "value not in enum" },
            { path: "/prUrl", message: 'missing required property "prUrl"' },
          ],
          correlationId: "c7",
          sessionId: "s1",
        },
      ]);
    });

    test("by time, agent, correlation, and all of them, newest first", async () => {
      expect(await ids({ workspaceId: "w", since: base + 17, until: base + 19 })).toEqual(["c18", "c17"]);
      expect(await ids({ workspaceId: "w", agent: "agent://pr-reviewer" })).toEqual(["c7"]);
      expect(await ids({ workspaceId: "w", agent: "nobody" })).toEqual([]);
      await ledger.record(invocation(30, { callerId: "pr-reviewer" }));
      for (const agent of ["pr-reviewer", "agent://pr-reviewer"]) {
        expect(await ids({ workspaceId: "w", agent })).toEqual(["c7", "c30"]);
        expect(await ids({ workspaceId: "w", agent, limit: 1 })).toEqual(["c7"]);
      }
      expect(await ids({ workspaceId: "w", correlation: "c7" })).toEqual(["c7", "c7"]);
      expect(await ids({ workspaceId: "w", correlation: "c7", kind: "invocation" })).toEqual(["c7"]);
      expect(await ids({ workspaceId: "other" })).toEqual(["c7"]);
    });

    test("page by page, with nothing twice and nothing left out, even at the same millisecond", async () => {
      await store.batch(upTo(15).map((i) => ledger.statement(invocation(i, { ts: base })).query));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await ledger.query({ workspaceId: "w", limit: 4, ...(cursor ? { cursor } : {}) });
        seen.push(...page.entries.map((entry) => entry.id));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen).toHaveLength(36);
      expect(new Set(seen).size).toBe(36);
    });

    test("refuse what makes no sense by name", async () => {
      await expect(ledger.query({ workspaceId: "w", kind: "gossip" })).rejects.toThrow(
        /kind "gossip" .* invocation/,
      );
      await expect(ledger.query({ workspaceId: "w", cursor: "%%%" })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    });
  });

  describe("erasure", () => {
    test("takes payload, salt and subject away, says so, and leaves the chain whole", async () => {
      const [first, second] = [await ledger.record(invocation(1)), await ledger.record(invocation(2))];
      const erased = await ledger.erase({
        workspaceId: "w",
        records: [first.id],
        by: "admin-7",
        reason: "request 12",
      });
      expect(erased.records).toEqual([{ id: first.id, seq: 0 }]);
      const raw = JSON.stringify(
        await store.db.selectFrom("ledger_records").selectAll().where("id", "=", first.id).execute(),
      );
      expect(raw).not.toMatch(/user-1|example\.com|approve/);

      const { entries } = await ledger.query({ workspaceId: "w", kind: "invocation" });
      const entry = entries.find(({ id }) => id === first.id);
      expect(entry).toMatchObject({
        erasedBy: erased.erasures[0],
        record: { capability: "review-pr", correlationId: "c1" },
      });
      expect(entry?.record).not.toHaveProperty("args");
      expect(entries.find(({ id }) => id === second.id)?.record).toHaveProperty("args");
      const [erasure] = (await ledger.query({ workspaceId: "w", kind: "erasure" })).entries;
      expect(erasure).toMatchObject({
        id: erased.erasures[0],
        seq: 2,
        record: {
          by: "admin-7",
          reason: "request 12",
          erased: [{ id: first.id, seq: 0 }],
          ts: expect.any(Number),
        },
      });
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({
        ok: true,
        erased: 1,
        size: 3,
      });
      const again = await ledger.erase({
        workspaceId: "w",
        records: [first.id],
        by: "admin-7",
        reason: "again",
      });
      expect(again).toEqual({ erasures: [], records: [] });
    });

    test("reaches all that is about a person, and nobody else's", async () => {
      await store.batch(
        upTo(1_203).map((i) => ledger.statement(invocation(i, { userId: `user-${i % 2}` })).query),
      );
      await ledger.record(invocation(1, { tenantId: "other", userId: "user-1" }));
      const { records, erasures } = await ledger.erase({
        workspaceId: "w",
        subject: "user-1",
        by: "admin",
        reason: "left",
      });
      expect(records).toHaveLength(601);
      expect(erasures).toHaveLength(2);
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({
        ok: true,
        erased: 601,
        size: 1_205,
      });
      expect((await ledger.query({ workspaceId: "other" })).entries[0]?.record).toHaveProperty("userId");
    });

    test("reaches the violations of a person's calls, which name nobody", async () => {
      const violation = (correlationId: string, tenantId = "w"): LedgerRecord => ({
        kind: "capability_schema_violation",
        tenantId,
        capabilityName: "review-pr",
        peerId: "agent://pr-reviewer",
        side: "request",
        violations: [{ path: "/email", message: `"${correlationId}@example.com" is no URL` }],
        correlationId,
      });
      const theirs = [await ledger.record(invocation(1)), await ledger.record(violation("c1"))];
      await ledger.record(invocation(2));
      const others = [await ledger.record(violation("c2")), await ledger.record(violation("c1", "other"))];
      await ledger.record({
        kind: "sign_in",
        tenantId: "w",
        method: "key",
        outcome: "ok",
        face: "http",
        userId: "user-1",
      });
      const { records } = await ledger.erase({
        workspaceId: "w",
        subject: "user-1",
        by: "admin",
        reason: "left",
      });
      expect(records).toHaveLength(3);
      expect(records.map(({ id }) => id)).toEqual(expect.arrayContaining(theirs.map(({ id }) => id)));
      const rows = await store.db.selectFrom("ledger_records").selectAll().execute();
      const payloads = new Map(rows.map((row) => [row.id, row.payload]));
      expect(theirs.map(({ id }) => payloads.get(id))).toEqual([null, null]);
      for (const { id } of others) expect(payloads.get(id)).toContain("@example.com");
      expect(await fixture.open().verify({ workspaceId: "w" })).toMatchObject({ ok: true, erased: 3 });
    });

    test("refuses what it cannot do", async () => {
      const { id } = await ledger.record(invocation(1));
      const erase = { workspaceId: "w", by: "admin", reason: "r" };
      await expect(ledger.erase(erase)).rejects.toThrow(/either the records .* or the subject/);
      await expect(ledger.erase({ ...erase, records: [id], subject: "x" })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
      await expect(ledger.erase({ ...erase, records: ["nothing"] })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
      await expect(ledger.erase({ ...erase, workspaceId: "other", records: [id] })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
      const { erasures } = await ledger.erase({ ...erase, records: [id] });
      await expect(ledger.erase({ ...erase, records: erasures })).rejects.toThrow(/no personal fields/);
    });
  });

  if (dialect === "postgres")
    test("two nodes share one chain, and pass over no late commit", async () => {
      const second = await openStore({ url: url ?? "" }, { log: quiet });
      try {
        const other = fixture.open({ store: second });
        const held = Promise.withResolvers<void>();
        const release = Promise.withResolvers<void>();
        // A transaction that began first and commits last: its record must not be passed over for good.
        const late = store.transaction(async (trx) => {
          await ledger.append(trx, invocation(0));
          held.resolve();
          await release.promise;
        });
        await held.promise;
        await other.record(invocation(1));
        await other.sequence("w");
        expect(await places()).toEqual([0]);
        release.resolve();
        await late;
        await Promise.all([ledger.sequence("w"), other.sequence("w")]);
        expect(await places()).toEqual([0, 1]);
        expect(await other.verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 2 });
      } finally {
        await second.close();
      }
    });
});
