import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadSigningKeys, readSigningKeys, signingKeyPath } from "./signing-keys.ts";

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stoa-keys-"));
  home = join(folder, "home");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = () => statSync(signingKeyPath(home)).mode & 0o777;
function put(text: string, fileMode = 0o600): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(signingKeyPath(home), text);
  chmodSync(signingKeyPath(home), fileMode);
}

test("a key is made where none is set, private, and kept", () => {
  const made = loadSigningKeys([], home);
  expect(made).toMatchObject({ origin: "generated", warnings: [] });
  expect(mode()).toBe(0o600);
  expect(Buffer.byteLength(made.keys[0] ?? "")).toBeGreaterThanOrEqual(32);
  expect(loadSigningKeys([], home)).toEqual({ keys: made.keys, origin: "file", warnings: [] });
  // As it stands, it can be given to another node.
  expect(readFileSync(signingKeyPath(home), "utf8").trim()).toBe(made.keys[0]);
});

test("two homes have two keys", () => {
  expect(loadSigningKeys([], home).keys).not.toEqual(loadSigningKeys([], join(folder, "other")).keys);
});

test("what is configured wins, and no file is made", () => {
  const keys = ["a".repeat(32), "b".repeat(32)];
  expect(loadSigningKeys(keys, home)).toEqual({ keys, origin: "configuration", warnings: [] });
  expect(readSigningKeys([], home)).toBeUndefined();
});

test("lines of the file are keys: a rotation without configuration", () => {
  put(`${"n".repeat(32)}\n\n${"o".repeat(32)}\n`);
  expect(loadSigningKeys([], home).keys).toEqual(["n".repeat(32), "o".repeat(32)]);
});

test("a file that others can read is made private, and that is said", () => {
  put("k".repeat(32), 0o644);
  expect(loadSigningKeys([], home).warnings[0]).toContain("could be read by other users");
  expect(mode()).toBe(0o600);
});

test.each([
  ["empty", ""],
  ["blank", "\n \n"],
  ["short", "only-31-bytes-long-0123456789ab"],
  ["short beside a good one", `${"k".repeat(32)}\nshort\n`],
])("a file that is %s is refused, and not replaced", (_title, text) => {
  put(text);
  expect(() => loadSigningKeys([], home)).toThrow(expect.objectContaining({ code: "KEY_INVALID" }));
  expect(readFileSync(signingKeyPath(home), "utf8")).toBe(text);
});

test("a short key in the configuration is refused, without repeating it", () => {
  expect(() => loadSigningKeys(["hunter2"], home)).toThrow(
    expect.objectContaining({ code: "KEY_INVALID", message: expect.not.stringContaining("hunter2") }),
  );
});

test("a folder in the file's place is a clear error", () => {
  mkdirSync(signingKeyPath(home), { recursive: true });
  expect(() => loadSigningKeys([], home)).toThrow(
    expect.objectContaining({ code: "KEY_INVALID", message: expect.stringContaining("cannot be read") }),
  );
});
