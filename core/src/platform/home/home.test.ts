import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensureHome } from "./ensure.ts";
import { isHomeLocked, lockHome } from "./lock.ts";
import { readRuntime } from "./runtime.ts";
import { readOrCreateSecretFile, replaceSecretFile } from "./secret-file.ts";

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stoa-home-"));
  home = join(folder, "deep", "home");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;
const now = { waitMs: 0 };

describe("the folder", () => {
  test("is made for its owner only", () => {
    ensureHome(home);
    expect(mode(home)).toBe(0o700);
  });

  test("cannot be a file, or lie below one", () => {
    writeFileSync(join(folder, "file"), "");
    for (const path of [join(folder, "file"), join(folder, "file", "below")]) {
      expect(() => ensureHome(path)).toThrow(expect.objectContaining({ code: "HOME_UNWRITABLE" }));
    }
  });

  // Root may write anywhere, so for root the kernel's own folder stands in.
  test("must be writable", () => {
    const locked = process.getuid?.() === 0 ? "/proc/stoa-home" : join(folder, "locked", "home");
    if (process.getuid?.() !== 0) mkdirSync(join(folder, "locked"), { mode: 0o500 });
    expect(() => lockHome(locked)).toThrow(
      expect.objectContaining({ code: "HOME_UNWRITABLE", message: expect.stringContaining("STOA_HOME") }),
    );
  });
});

describe("the lock", () => {
  test("is held by one, and names who holds it", () => {
    const lock = lockHome(home);
    expect(isHomeLocked(home)).toBe(true);
    expect(() => lockHome(home, now)).toThrow(
      expect.objectContaining({
        code: "HOME_IN_USE",
        message: expect.stringContaining(`pid ${process.pid}`),
      }),
    );
    lock.release();
    lock.release();
    expect(isHomeLocked(home)).toBe(false);
    lockHome(home, now).release();
  });

  test("says what the core is, to its owner only, and takes it back", () => {
    const lock = lockHome(home, { clock: () => 1234 });
    expect(readRuntime(home)).toEqual({ pid: process.pid, startedAt: 1234 });
    lock.publish({ http: { host: "127.0.0.1", port: 3775 }, grpc: { host: "::1", port: 3774 } });
    expect(readRuntime(home)).toMatchObject({ http: { port: 3775 }, grpc: { host: "::1" }, startedAt: 1234 });
    expect(mode(join(home, "core.json"))).toBe(0o600);
    lock.release();
    expect(existsSync(join(home, "core.json"))).toBe(false);
  });

  test.each(["", "{", "[]", '{"pid":"x"}', '{"pid":-1,"startedAt":1}'])(
    "what a stranger wrote there is ignored: %j",
    (text) => {
      ensureHome(home);
      writeFileSync(join(home, "core.json"), text);
      expect(readRuntime(home)).toBeUndefined();
    },
  );

  test("a damaged lock file is said to be one", () => {
    ensureHome(home);
    writeFileSync(
      join(home, "core.lock"),
      "this is not a database, and long enough to be seen as none".repeat(20),
    );
    expect(() => lockHome(home, now)).toThrow(
      expect.objectContaining({ code: "HOME_UNWRITABLE", message: expect.stringContaining("core.lock") }),
    );
  });

  test("nothing is locked where nothing is", () => {
    expect(isHomeLocked(join(folder, "nowhere"))).toBe(false);
  });
});

describe("a secret file", () => {
  beforeEach(() => ensureHome(home));
  const path = () => join(home, "secret");

  test("is made once, whole, and for its owner only", () => {
    expect(readOrCreateSecretFile(path(), () => "one")).toEqual({ text: "one", created: true });
    expect(readOrCreateSecretFile(path(), () => "two")).toEqual({ text: "one", created: false });
    expect(mode(path())).toBe(0o600);
    expect(readdirSync(home)).toEqual(["secret"]);
  });

  test("is replaced in one step, and gets private where it was not", () => {
    writeFileSync(path(), "old");
    chmodSync(path(), 0o644);
    replaceSecretFile(path(), "new");
    expect(readFileSync(path(), "utf8")).toBe("new");
    expect(mode(path())).toBe(0o600);
  });
});
