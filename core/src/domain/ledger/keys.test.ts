import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkpointProblem, signCheckpoint } from "./checkpoint.ts";
import { loadLedgerKeys, parsePublicKeys } from "./keys.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "stoa-keys-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test("a key is made once, for its owner alone, however many start together", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => loadLedgerKeys(home)));
  expect(new Set(all.map((keys) => keys.id)).size).toBe(1);
  expect((await stat(join(home, "ledger.key"))).mode & 0o777).toBe(0o600);
  expect(await readdir(home)).toEqual(["ledger.key"]);
});

test("a key that others can read is refused, with what to do", async () => {
  await loadLedgerKeys(home);
  await chmod(join(home, "ledger.key"), 0o644);
  await expect(loadLedgerKeys(home)).rejects.toThrow(/others can read it \(mode 644\); run chmod 600/);
});

test.each([
  ["no key", "hello", /cannot be used/],
  [
    "another kind of key",
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString(),
    /is ec, not Ed25519/,
  ],
])("a file with %s is refused by name", async (_name, text, message) => {
  await writeFile(join(home, "ledger.key"), text, { mode: 0o600 });
  await expect(loadLedgerKeys(home)).rejects.toThrow(message);
  await expect(loadLedgerKeys(home)).rejects.toMatchObject({ code: "KEY_INVALID" });
});

test("a home that cannot be written is said", async () => {
  await writeFile(join(home, "file"), "");
  await expect(loadLedgerKeys(join(home, "file"))).rejects.toMatchObject({
    code: expect.stringMatching(/HOME_UNWRITABLE|KEY_INVALID/),
  });
});

test("trusted keys count beside the own one, and nobody else's do", async () => {
  const other = await mkdtemp(join(tmpdir(), "stoa-keys-"));
  try {
    const theirs = await loadLedgerKeys(other);
    const body = { workspace: "w", size: 1, root: "0".repeat(64), ts: 1, previous: null };
    const checkpoint = signCheckpoint(body, theirs);
    const before = await loadLedgerKeys(home);
    expect(checkpointProblem(checkpoint, before.trusted)).toBe("key_unknown");
    await writeFile(join(home, "ledger.trusted"), `# node 2\n${theirs.trusted.get(theirs.id)?.pem}`);
    const after = await loadLedgerKeys(home);
    expect(checkpointProblem(checkpoint, after.trusted)).toBeUndefined();
    expect([...after.trusted.keys()]).toEqual([theirs.id, after.id]);
    for (const change of [
      { size: 2 },
      { root: "1".repeat(64) },
      { ts: 2 },
      { workspace: "v" },
      { previous: "0".repeat(64) },
    ]) {
      expect(checkpointProblem({ ...checkpoint, ...change }, after.trusted)).toBe("signature_wrong");
    }
    expect(checkpointProblem({ ...checkpoint, key: after.id }, after.trusted)).toBe("signature_wrong");
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

test("public keys are read from PEM, and nothing else passes for one", async () => {
  const keys = await loadLedgerKeys(home);
  const pem = keys.trusted.get(keys.id)?.pem ?? "";
  expect(parsePublicKeys(`${pem}\n${pem}`, "x").map((key) => key.id)).toEqual([keys.id, keys.id]);
  expect(() => parsePublicKeys(pem.replaceAll("A", "B"), "x.pem")).toThrow(/x\.pem cannot be used/);
  expect(() => parsePublicKeys("hello", "x.pem")).toThrow(/no public key in PEM form/);
  const secret = await readFile(join(home, "ledger.key"), "utf8");
  expect(() => parsePublicKeys(secret, "x.pem")).toThrow(/no public key/);
});
