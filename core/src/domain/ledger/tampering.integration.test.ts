import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LedgerRecordsTable, Store } from "#platform/store";
import type { Ledger, ProblemCode, VerifyReport } from "./index.ts";
import { tileBytes, tileHashes } from "./merkle/index.ts";
import { leafHash, payloadDigest } from "./seal.ts";
import { type Fixture, invocation, onBothDatabases, fixture as openFixture } from "./testing/fixture.ts";
import { putBack, type Snapshot, takeSnapshot } from "./testing/snapshot.ts";

const checkpointFile = (home: string) => join(home, "checkpoints", "w.jsonl");

/** 30 + 30 + 10 records in three batches, one of them erased (at 5), which is record 71. */
onBothDatabases("whatever is done to the ledger is found", (place) => {
  let fixture: Fixture;
  let store: Store;
  let ledger: Ledger;
  /** After the second batch, and in the end. */
  let before: { early: Snapshot; file: string };
  let after: { whole: Snapshot; file: string; key: string };

  beforeAll(async () => {
    fixture = await openFixture(await place());
    store = fixture.store;
    ledger = fixture.open();
    const write = async (from: number, to: number) => {
      await store.batch(
        Array.from({ length: to - from }, (_, i) => ledger.statement(invocation(from + i)).query),
      );
      await ledger.sequence("w");
    };
    await write(0, 30);
    await write(30, 60);
    before = { early: await takeSnapshot(store), file: await readFile(checkpointFile(fixture.home), "utf8") };
    await write(60, 70);
    await ledger.erase({ workspaceId: "w", records: [(await at(5)).id], by: "admin", reason: "asked to" });
    after = {
      whole: await takeSnapshot(store),
      file: await readFile(checkpointFile(fixture.home), "utf8"),
      key: await readFile(join(fixture.home, "ledger.key"), "utf8"),
    };
  });
  beforeEach(async () => {
    await putBack(store, after.whole);
    await writeFile(checkpointFile(fixture.home), after.file);
    await writeFile(join(fixture.home, "ledger.key"), after.key);
    await rm(join(fixture.home, "ledger.trusted"), { force: true });
    ledger = fixture.open();
  });
  afterAll(() => fixture.close());

  async function at(seq: number): Promise<LedgerRecordsTable> {
    return store.db
      .selectFrom("ledger_records")
      .selectAll()
      .where("workspace_id", "=", "w")
      .where("seq", "=", seq)
      .executeTakeFirstOrThrow();
  }
  async function change(seq: number, values: Partial<LedgerRecordsTable>): Promise<void> {
    const { id } = await at(seq);
    await store.db.updateTable("ledger_records").set(values).where("id", "=", id).execute();
  }
  async function changeTile(
    level: number,
    place: number,
    mend: (hashes: string[]) => string[],
  ): Promise<void> {
    const where = { workspace_id: "w", level, place };
    const tile = await store.db
      .selectFrom("ledger_tiles")
      .select("hashes")
      .where((is) => is.and(where))
      .executeTakeFirstOrThrow();
    await store.db
      .updateTable("ledger_tiles")
      .set({ hashes: tileBytes(mend(tileHashes(tile.hashes))) })
      .where((is) => is.and(where))
      .execute();
  }
  async function changeFile(mend: (lines: string[]) => string[]): Promise<void> {
    const path = checkpointFile(fixture.home);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    await writeFile(
      path,
      mend(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  function forged(line = ""): string {
    const checkpoint = JSON.parse(line);
    const other = checkpoint.signature.startsWith("A") ? "B" : "A";
    return JSON.stringify({ ...checkpoint, signature: other + checkpoint.signature.slice(1) });
  }
  /** Looked at with no memory of what was. */
  function verify(from?: number): Promise<VerifyReport> {
    return fixture.open().verify({ workspaceId: "w", from });
  }
  async function found(...codes: ProblemCode[]): Promise<VerifyReport> {
    const report = await verify();
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.code)).toEqual(expect.arrayContaining(codes));
    return report;
  }

  test("untouched, it verifies, whole and from a checkpoint", async () => {
    expect(await verify()).toMatchObject({
      ok: true,
      size: 71,
      erased: 1,
      checkpoints: 4,
      outside: 4,
      problems: [],
    });
    expect(await verify(60)).toMatchObject({ ok: true, from: 60, size: 71, checkpoints: 3 });
    await expect(verify(61)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  describe("a record", () => {
    test.each<[string, Partial<LedgerRecordsTable>]>([
      ["metadata", { meta: '{"capability":"other"}' }],
      ["metadata, by a space", { meta: "{ }" }],
      ["kind", { kind: "payment" }],
      ["time", { ts: 1 }],
      ["agent", { agent: "agent://other" }],
      ["correlation", { correlation: null }],
      ["id", { id: "another" }],
    ])("with its %s changed", async (_name, values) => {
      await change(17, values);
      const report = await found("record_changed");
      expect(report.problems[0]).toMatchObject({ code: "record_changed", seq: 17 });
      expect(report.problemCount).toBe(1);
    });

    test.each<[string, Partial<LedgerRecordsTable>]>([
      ["payload", { payload: '{"args":{},"userId":"user-2"}' }],
      ["salt", { salt: "00".repeat(16) }],
      ["subject", { subject: "somebody-else" }],
      ["payload gone and salt left", { payload: null }],
      ["salt gone and payload left", { salt: null }],
    ])("with its %s changed", async (_name, values) => {
      await change(17, values);
      expect((await found("payload_changed")).problems[0]).toMatchObject({ seq: 17 });
    });

    test("with its digest changed", async () => {
      await change(17, { digest: "00".repeat(32) });
      await found("record_changed", "payload_changed");
    });

    test("with its leaf hash changed", async () => {
      await change(17, { leaf: "00".repeat(32) });
      await found("leaf_changed");
    });

    test("written anew with all its own hashes right", async () => {
      const row = await at(17);
      const payload = '{"userId":"user-2"}';
      const forged = { ...row, payload, digest: payloadDigest(row.salt ?? "", payload, row.subject) };
      await change(17, { payload, digest: forged.digest, leaf: leafHash(forged) });
      expect((await found("record_moved")).problems[0]).toMatchObject({ seq: 17 });

      await changeTile(0, 0, (hashes) => hashes.with(17, leafHash(forged)));
      const report = await found("root_differs", "tree_changed");
      expect(report.problems.find((problem) => problem.code === "root_differs")).toMatchObject({ seq: 29 });
    });

    test("deleted from the middle", async () => {
      await store.db
        .deleteFrom("ledger_records")
        .where("id", "=", (await at(17)).id)
        .execute();
      expect((await found("record_missing")).problems).toMatchObject([{ seq: 17 }]);
    });

    test("inserted in the middle, the others moved on", async () => {
      const extra = { ...(await at(17)), id: "inserted", seq: null };
      for (let seq = 70; seq >= 17; seq--) await change(seq, { seq: seq + 1 });
      await store.db
        .insertInto("ledger_records")
        .values({ ...extra, leaf: leafHash(extra), seq: 17 })
        .execute();
      const report = await found("record_moved", "record_unsigned");
      expect(report.problems[0]).toMatchObject({ seq: 17, id: "inserted" });
    });

    test("put at the end with a place of its own", async () => {
      const extra = { ...(await at(17)), id: "inserted" };
      await store.db
        .insertInto("ledger_records")
        .values({ ...extra, leaf: leafHash(extra), seq: 71 })
        .execute();
      await found("record_unsigned");
      await ledger.record(invocation(80));
      await expect(fixture.open().sequence("w")).rejects.toMatchObject({ code: "LEDGER_BROKEN" });
    });

    test("swapped with another", async () => {
      const [a, b] = [await at(17), await at(44)];
      await change(17, { seq: 1_000 });
      await store.db.updateTable("ledger_records").set({ seq: 17 }).where("id", "=", b.id).execute();
      await store.db.updateTable("ledger_records").set({ seq: 44 }).where("id", "=", a.id).execute();
      const report = await found("record_moved");
      expect(report.problems.map(({ code, seq }) => [code, seq])).toEqual([
        ["record_moved", 17],
        ["record_moved", 44],
      ]);
    });

    test("given to another workspace, with a place there or without", async () => {
      await change(17, { workspace_id: "other", seq: null });
      await found("record_missing");
      expect(await ledger.verify({ workspaceId: "other" })).toMatchObject({
        ok: false,
        waiting: 1,
        problems: [{ code: "waiting_changed" }],
      });
      await ledger.sequence("other");
      expect(await ledger.verify({ workspaceId: "other" })).toMatchObject({
        problems: [{ code: "record_changed" }],
      });
    });

    test("taken out of the chain to wait again", async () => {
      await change(17, { seq: null });
      await found("record_missing");
      await ledger.sequence("w");
      expect((await found("record_missing")).size).toBe(72);
    });

    test("changed while it waits", async () => {
      const { id } = await ledger.record(invocation(80));
      await store.db.updateTable("ledger_records").set({ ts: 5 }).where("id", "=", id).execute();
      expect(await found("waiting_changed")).toMatchObject({ waiting: 1 });
      await ledger.sequence("w");
      await found("record_changed");
    });
  });

  describe("an erasure", () => {
    const erased = { payload: null, salt: null, subject: null };

    test("that nobody put on record", async () => {
      await change(17, erased);
      expect((await found("erasure_unproven")).problems[0]).toMatchObject({ seq: 17 });
    });

    test("that borrows another record's erasure", async () => {
      await change(17, { ...erased, erasure_id: (await at(70)).id });
      await found("erasure_unproven");
    });

    test("that names an erasure which does not exist", async () => {
      await change(17, { ...erased, erasure_id: "made-up" });
      await found("erasure_unproven");
    });

    test("whose record was changed to name one more", async () => {
      const erasure = await at(70);
      const { id } = await at(17);
      const meta = JSON.parse(erasure.meta);
      meta.erased.push({ id, seq: 17 });
      await change(17, { ...erased, erasure_id: erasure.id });
      await change(70, { meta: JSON.stringify(meta) });
      await found("record_changed", "erasure_unproven");
    });

    test("that is claimed while the payload is still there", async () => {
      await change(17, { erasure_id: (await at(70)).id });
      await found("payload_changed");
    });

    test("whose record is gone", async () => {
      await store.db
        .deleteFrom("ledger_records")
        .where("id", "=", (await at(70)).id)
        .execute();
      await found("record_missing", "erasure_unproven");
    });
  });

  describe("the end", () => {
    test("cut off the records", async () => {
      await store.db.deleteFrom("ledger_records").where("seq", ">=", 60).execute();
      const report = await found("record_missing");
      expect(report.problems.filter((problem) => problem.code === "record_missing")).toHaveLength(11);
    });

    test("cut off the records and the tree", async () => {
      await store.db.deleteFrom("ledger_records").where("seq", ">=", 64).execute();
      await store.db.deleteFrom("ledger_tiles").where("level", "=", 0).where("place", "=", 2).execute();
      await found("record_missing", "tail_cut");
    });

    test("cut off the records and the checkpoints", async () => {
      await store.db.deleteFrom("ledger_records").where("seq", ">=", 60).execute();
      await store.db.deleteFrom("ledger_checkpoints").where("size", ">", 60).execute();
      await found("tail_cut");
    });

    test("cut off everything in the database, as a backup put back would", async () => {
      await ledger.record(invocation(90));
      await ledger.sequence("w");
      await putBack(store, before.early);
      const report = await found("tail_cut");
      expect(report.problems[0]?.message).toMatch(/72 records were signed.*ends at 60/);
      await ledger.record(invocation(99));
      await expect(fixture.open().sequence("w"), "a new start").rejects.toMatchObject({
        code: "LEDGER_BROKEN",
      });
      await expect(ledger.sequence("w"), "a core that runs").rejects.toMatchObject({ code: "LEDGER_BROKEN" });
    });

    test("cut off everything, the checkpoints outside with it: a core that runs still knows", async () => {
      await ledger.record(invocation(90));
      await ledger.sequence("w");
      await putBack(store, before.early);
      await writeFile(checkpointFile(fixture.home), before.file);
      await ledger.record(invocation(99));
      await expect(ledger.sequence("w")).rejects.toMatchObject({ code: "LEDGER_BROKEN" });
    });

    test("cut off and grown again by somebody else", async () => {
      await putBack(store, before.early);
      const elsewhere = await mkdtemp(join(tmpdir(), "stoa-elsewhere-"));
      try {
        const other = fixture.open({ home: elsewhere });
        const key = (await fixture.open().publicKeys())[0]?.pem ?? "";
        await writeFile(join(elsewhere, "ledger.trusted"), key);
        for (let n = 0; n < 20; n++) await other.record(invocation(100 + n));
        await other.sequence("w");
        expect(await other.verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 80 });
        await found("root_differs", "checkpoint_key_unknown");
      } finally {
        await rm(elsewhere, { recursive: true, force: true });
      }
    });
  });

  describe("a checkpoint in the database", () => {
    const changeCheckpoint = (size: number, values: Record<string, unknown>) =>
      store.db.updateTable("ledger_checkpoints").set(values).where("size", "=", size).execute();

    test("with another root, in the middle and at the end", async () => {
      await changeCheckpoint(60, { root: "00".repeat(32) });
      await found("checkpoint_unlinked", "checkpoint_signature_wrong", "root_differs");
      await changeCheckpoint(71, { root: "00".repeat(32) });
      await found("checkpoint_signature_wrong");
      await expect(fixture.open().prove({ workspaceId: "w", id: (await at(17)).id })).rejects.toMatchObject({
        code: "LEDGER_BROKEN",
      });
    });

    test("with another time or key", async () => {
      await changeCheckpoint(71, { ts: 1 });
      await found("checkpoint_signature_wrong");
      await changeCheckpoint(71, { key_id: "0".repeat(32) });
      await found("checkpoint_key_unknown");
    });

    test("taken out of the middle", async () => {
      await store.db.deleteFrom("ledger_checkpoints").where("size", "=", 60).execute();
      await found("checkpoint_unlinked");
    });

    test("taken from the front", async () => {
      await store.db.deleteFrom("ledger_checkpoints").where("size", "=", 30).execute();
      await found("checkpoint_unlinked");
    });

    test("signed again with another key, tree and records to match", async () => {
      await putBack(store, {
        records: before.early.records.map((row) => ({ ...row, seq: null })),
        tiles: [],
        checkpoints: [],
      });
      const elsewhere = await mkdtemp(join(tmpdir(), "stoa-elsewhere-"));
      try {
        await store.db
          .updateTable("ledger_records")
          .set({ ts: 7 })
          .where("id", "=", before.early.records[3]?.id ?? "")
          .execute();
        const row = await store.db
          .selectFrom("ledger_records")
          .selectAll()
          .where("ts", "=", 7)
          .executeTakeFirstOrThrow();
        await store.db
          .updateTable("ledger_records")
          .set({ leaf: leafHash(row) })
          .where("id", "=", row.id)
          .execute();
        const forger = fixture.open({ home: elsewhere });
        await forger.sequence("w");
        expect(await forger.verify({ workspaceId: "w" })).toMatchObject({ ok: true });
      } finally {
        await rm(elsewhere, { recursive: true, force: true });
      }
      await found("checkpoint_key_unknown", "root_differs", "tail_cut");
    });
  });

  describe("a tile", () => {
    test("of leaves", async () => {
      await changeTile(0, 1, (hashes) => hashes.with(3, "00".repeat(32)));
      await found("record_moved", "root_differs");
    });

    test("above them: no proof is given from it", async () => {
      await changeTile(1, 0, (hashes) => hashes.with(1, "00".repeat(32)));
      await found("tree_changed");
      await expect(fixture.open().prove({ workspaceId: "w", id: (await at(3)).id })).rejects.toMatchObject({
        code: "LEDGER_BROKEN",
      });
    });

    test("that is gone", async () => {
      await store.db.deleteFrom("ledger_tiles").where("level", "=", 0).where("place", "=", 0).execute();
      await found("tree_changed");
      await putBack(store, after.whole);
      await store.db.deleteFrom("ledger_tiles").where("level", "=", 1).execute();
      await found("tree_changed");
    });
  });

  describe("the checkpoints outside", () => {
    test("put back to an older state", async () => {
      await writeFile(checkpointFile(fixture.home), before.file);
      const report = await verify();
      const text = /outside the database end at 60, 2 behind/;
      if (store.dialect === "sqlite")
        expect(report.problems).toMatchObject([{ code: "outside_behind", message: text }]);
      // Another node may have signed them: worth a line, and no alarm.
      else expect(report.notes).toEqual([expect.stringMatching(text)]);
    });

    test("gone", async () => {
      await rm(checkpointFile(fixture.home));
      const report = await verify();
      expect(report.ok).toBe(store.dialect === "postgres");
      expect(JSON.stringify(report)).toMatch(/end at 0, 4 behind/);
    });

    test("with a line changed, left out, or added", async () => {
      const good = await readFile(checkpointFile(fixture.home), "utf8");
      await changeFile((lines) => lines.with(1, (lines[1] ?? "").replace('"size":60', '"size":59')));
      await found("checkpoint_unlinked");
      await writeFile(checkpointFile(fixture.home), good);
      await changeFile((lines) => lines.toSpliced(1, 1));
      await found("checkpoint_unlinked");
      await writeFile(checkpointFile(fixture.home), good);
      await changeFile((lines) => [...lines, lines[1] ?? ""]);
      expect((await verify()).ok, "the same line again").toBe(true);
      await changeFile((lines) => [...lines, forged(lines[1])]);
      await found("checkpoint_unlinked", "checkpoint_signature_wrong");
      await writeFile(checkpointFile(fixture.home), good);
      await changeFile((lines) => [lines[0] ?? "", "not a checkpoint", '{"v":1}', ...lines.slice(1)]);
      await found("checkpoint_damaged");
      await writeFile(checkpointFile(fixture.home), good);
      expect((await verify()).ok).toBe(true);
    });

    test("with the last one signed by somebody else", async () => {
      await changeFile((lines) => {
        const last = JSON.parse(lines.at(-1) ?? "");
        return [...lines.slice(0, -1), JSON.stringify({ ...last, size: 500, key: "0".repeat(32) })];
      });
      await found("checkpoint_key_unknown", "tail_cut");
    });
  });

  test("another key in the home trusts nothing that the old one signed", async () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    const old = (await fixture.open().publicKeys())[0]?.pem ?? "";
    await writeFile(join(fixture.home, "ledger.key"), pem, { mode: 0o600 });
    await found("checkpoint_key_unknown");
    await fixture.open().record(invocation(90));
    await expect(fixture.open().sequence("w")).rejects.toMatchObject({ code: "LEDGER_BROKEN" });
    await writeFile(join(fixture.home, "ledger.trusted"), old);
    const rotated = fixture.open();
    await rotated.sequence("w");
    expect(await rotated.verify({ workspaceId: "w" })).toMatchObject({ ok: true, size: 72 });
  });
});
