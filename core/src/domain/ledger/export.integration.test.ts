import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkProof, type Ledger, type ProblemCode, type Proof, verifyFile } from "./index.ts";
import { loadLedgerKeys, type TrustedKey } from "./keys.ts";
import { type Fixture, invocation, onBothDatabases, fixture as openFixture } from "./testing/fixture.ts";

onBothDatabases("what leaves the ledger", (place) => {
  let fixture: Fixture;
  let ledger: Ledger;
  let keys: TrustedKey[];
  let path: string;
  let lines: string[];

  beforeAll(async () => {
    fixture = await openFixture(await place());
    ledger = fixture.open();
    keys = [...(await loadLedgerKeys(fixture.home)).trusted.values()];
    for (const [from, to] of [
      [0, 40],
      [40, 100],
    ] as const) {
      for (let n = from; n < to; n++) await ledger.record(invocation(n));
      await ledger.sequence("w");
    }
    const { entries } = await ledger.query({ workspaceId: "w", correlation: "c8" });
    await ledger.erase({ workspaceId: "w", records: [entries[0]?.id ?? ""], by: "admin", reason: "asked" });
    path = join(fixture.home, "export.jsonl");
    lines = await exportAll(0, 1_000);
  });
  afterAll(() => fixture.close());

  async function exportAll(from: number, limit: number): Promise<string[]> {
    let page = await ledger.exportPage({ workspaceId: "w", from, limit });
    const found = [JSON.stringify(page.header), ...page.lines.map((line) => JSON.stringify(line))];
    while (page.next < page.size) {
      page = await ledger.exportPage({ workspaceId: "w", from: page.next, limit });
      found.push(...page.lines.map((line) => JSON.stringify(line)));
    }
    return found;
  }
  async function verify(text: readonly string[], trusted: readonly TrustedKey[] | undefined = keys) {
    await writeFile(path, text.map((line) => `${line}\n`).join(""));
    return verifyFile({ path, trusted });
  }
  async function found(text: readonly string[], ...codes: ProblemCode[]): Promise<void> {
    const report = await verify(text);
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.code)).toEqual(expect.arrayContaining(codes));
  }
  const change = (seq: number, values: object) =>
    lines.map((line) =>
      line.includes(`"seq":${seq},`) ? JSON.stringify({ ...JSON.parse(line), ...values }) : line,
    );

  describe("an export", () => {
    test("verifies with nothing but the key, whole", async () => {
      expect(lines).toHaveLength(1 + 101 + 3);
      expect(await verify(lines)).toMatchObject({
        ok: true,
        size: 101,
        checkpoints: 3,
        erased: 1,
        notes: [],
      });
    });

    test("says so where only the file itself vouches for its key", async () => {
      const report = await verifyFile({ path });
      expect(report).toMatchObject({ ok: true, notes: [expect.stringMatching(/key in the file itself/)] });
    });

    test("is the same in small pages, and can begin anywhere", async () => {
      expect(await exportAll(0, 7)).toEqual(lines);
      for (const from of [1, 33, 40, 64, 99, 101]) {
        const report = await verify(await exportAll(from, 13));
        expect(report, `from ${from}`).toMatchObject({ ok: true, from, size: 101 });
      }
      await expect(ledger.exportPage({ workspaceId: "w", from: 102 })).rejects.toThrow(/goes on at 101/);
      await expect(ledger.exportPage({ workspaceId: "w", from: -1 })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
      });
    });

    test("taken up again after a crash, with lines that come twice, verifies", async () => {
      const again = await exportAll(30, 20);
      expect(await verify([...lines.slice(0, 60), ...again])).toMatchObject({ ok: true, size: 101 });
    });

    test("changed, cut, reordered or forged is found", async () => {
      await found(change(17, { kind: "payment" }), "record_changed");
      await found(change(17, { meta: { capability: "other" } }), "record_changed");
      await found(change(17, { payload: {} }), "payload_changed");
      await found(change(17, { salt: "00".repeat(16) }), "payload_changed");
      await found(change(17, { workspace: "v" }), "record_changed", "record_moved");
      await found(
        change(17, { payload: undefined, salt: undefined, subject: undefined }),
        "erasure_unproven",
      );
      await found(change(17, { leaf: "0".repeat(64) }), "record_changed");
      await found(lines.toSpliced(18, 1), "record_missing");
      await found(lines.slice(0, -1), "record_unsigned");
      await found(lines.slice(0, 80), "record_unsigned");
      const [a = "", b = ""] = [lines[10], lines[11]];
      await found(lines.with(10, b).with(11, a), "record_missing");
      const swapped = (line: string, seq: number) => JSON.stringify({ ...JSON.parse(line), seq });
      await found(lines.with(10, swapped(b, 9)).with(11, swapped(a, 10)), "root_differs");
      await found([...lines, "garbage"], "export_damaged");
      await found([...lines, ...change(17, { subject: "else" }).slice(18, 19)], "record_changed");
      await found([...lines, swapped(b, 3)], "export_damaged");
    });

    test("with other keys, or of another ledger in between", async () => {
      const elsewhere = await openFixture();
      try {
        const other = [...(await loadLedgerKeys(elsewhere.home)).trusted.values()];
        const report = await verify(lines, other);
        expect(report.problems).toMatchObject([{ code: "checkpoint_key_unknown" }]);
      } finally {
        await elsewhere.close();
      }
      const header = JSON.parse(lines[0] ?? "");
      await found([...lines, JSON.stringify({ ...header, workspace: "v" })], "export_damaged");
    });

    test("that is none is refused by its first line", async () => {
      for (const first of [
        "",
        "hello",
        '{"type":"record"}',
        JSON.stringify({ ...JSON.parse(lines[0] ?? ""), peaks: ["0".repeat(64)] }),
      ]) {
        await writeFile(path, `${first}\n`);
        await expect(verifyFile({ path })).rejects.toMatchObject({ code: "FILE_INVALID" });
      }
      await expect(verifyFile({ path: join(fixture.home, "nowhere") })).rejects.toThrow(
        /nowhere cannot be read/,
      );
    });

    test("with a hostile line does not bring the verifier down", async () => {
      await writeFile(path, lines.map((line) => `${line}\n`).join(""));
      const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
      await appendFile(
        path,
        `{"type":"record","seq":9007199254740991,"meta":${deep}}\n${deep}\n{"type":"__proto__"}\n`,
      );
      expect((await verifyFile({ path, trusted: keys })).problems.map(({ code }) => code)).toEqual(
        Array(3).fill("export_damaged"),
      );
    });
  });

  describe("a proof", () => {
    let proof: Proof;
    beforeAll(async () => {
      const { entries } = await ledger.query({ workspaceId: "w", correlation: "c17" });
      proof = await ledger.prove({ workspaceId: "w", id: entries[0]?.id ?? "" });
    });

    test("stands by itself, and is short", async () => {
      const text = JSON.stringify(proof);
      expect(checkProof(JSON.parse(text), keys)).toMatchObject({
        ok: true,
        problems: [],
        pinned: true,
        keyId: keys[0]?.id,
      });
      expect(checkProof(JSON.parse(text))).toMatchObject({ ok: true, pinned: false });
      expect(proof.path.length).toBeLessThanOrEqual(7);
    });

    test("holds without the personal fields, and for an erased record", async () => {
      const id = proof.record.id;
      const bare = await ledger.prove({ workspaceId: "w", id, withoutPayload: true });
      expect(JSON.stringify(bare)).not.toContain("example.com");
      expect(checkProof(bare, keys).ok).toBe(true);
      const { entries } = await ledger.query({ workspaceId: "w", correlation: "c8" });
      const erased = await ledger.prove({ workspaceId: "w", id: entries[0]?.id ?? "" });
      expect(erased.record).not.toHaveProperty("payload");
      expect(checkProof(erased, keys).ok).toBe(true);
    });

    test.each<[string, (proof: Proof) => unknown, RegExp]>([
      [
        "the record's kind",
        (p) => ({ ...p, record: { ...p.record, kind: "payment" } }),
        /metadata does not lead/,
      ],
      ["its place", (p) => ({ ...p, record: { ...p.record, seq: 3 } }), /path from the record/],
      ["its payload", (p) => ({ ...p, record: { ...p.record, payload: {} } }), /personal fields/],
      ["its workspace", (p) => ({ ...p, record: { ...p.record, workspace: "v" } }), /different workspaces/],
      ["a step of the path", (p) => ({ ...p, path: p.path.with(2, "0".repeat(64)) }), /path from the record/],
      ["the number of steps", (p) => ({ ...p, path: p.path.slice(1) }), /path from the record/],
      [
        "the root",
        (p) => ({ ...p, checkpoint: { ...p.checkpoint, root: "0".repeat(64) } }),
        /signature is wrong/,
      ],
      ["the size", (p) => ({ ...p, checkpoint: { ...p.checkpoint, size: 3 } }), /signature is wrong/],
      ["the key", (p) => ({ ...p, checkpoint: { ...p.checkpoint, key: "0".repeat(32) } }), /not trusted/],
    ])("with %s changed fails", (_name, forge, problem) => {
      const verdict = checkProof(forge(proof), keys);
      expect(verdict.ok).toBe(false);
      expect(verdict.problems.join(" ")).toMatch(problem);
    });

    test("that is none is refused", () => {
      for (const none of [null, 1, {}, { ...proof, path: Array(1_000).fill("0".repeat(64)) }]) {
        expect(() => checkProof(none)).toThrow(/no proof of the ledger/);
      }
    });

    test("of a record that is not there", async () => {
      await expect(ledger.prove({ workspaceId: "w", id: "nothing" })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
      await expect(ledger.prove({ workspaceId: "v", id: proof.record.id })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    });
  });

  describe("a continuation", () => {
    test("shows that each checkpoint is the beginning of the newest", async () => {
      for (const from of [40, 100, 101]) {
        const proof = JSON.parse(JSON.stringify(await ledger.proveContinuation({ workspaceId: "w", from })));
        expect(checkProof(proof, keys)).toMatchObject({
          ok: true,
          shows: expect.stringContaining(`of ${from}`),
        });
        expect(checkProof(proof)).toMatchObject({ ok: true, pinned: false });
      }
      await expect(ledger.proveContinuation({ workspaceId: "w", from: 50 })).rejects.toMatchObject({
        code: "NOT_FOUND",
      });
    });

    test("changed in any part fails", async () => {
      const proof = await ledger.proveContinuation({ workspaceId: "w", from: 40 });
      const { earlier, later, path } = proof;
      const problems = (change: object) => checkProof({ ...proof, ...change }, keys).problems.join(" ");
      expect(problems({ earlier: { ...earlier, root: later.root } })).toMatch(
        /signature .* 40 is wrong.*does not begin/,
      );
      expect(problems({ later: { ...later, size: 102 } })).toMatch(/signature .* 102 is wrong/);
      expect(problems({ path: path.slice(1) })).toMatch(/does not begin/);
      expect(problems({ path: [...path, later.root] })).toMatch(/does not begin/);
      expect(problems({ earlier: later, later: earlier })).toMatch(/does not begin/);
      expect(problems({ earlier: { ...earlier, key: "0".repeat(32) } })).toMatch(/not trusted/);
    });
  });

  test("the file is what it says: every line is JSON with a type", async () => {
    await writeFile(path, `${lines.join("\n")}\n`);
    for (const line of (await readFile(path, "utf8")).trim().split("\n")) {
      expect(["header", "record", "checkpoint"]).toContain(JSON.parse(line).type);
    }
  });
});
