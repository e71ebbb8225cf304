import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensureHome } from "./ensure.ts";
import { isHomeLocked, lockHome } from "./lock.ts";
import { readRuntime } from "./runtime.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stoa-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const now = { waitMs: 0 };

/** Another process that runs `body` with the home module at hand and says what it has to say in lines. */
function other(body: string) {
  const module = new URL("./index.ts", import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import * as home from ${JSON.stringify(module)}; const folder = process.argv[1]; ${body}`,
      home,
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async line(): Promise<string> {
      const { value } = await lines.next();
      return value ?? "(ended)";
    },
  };
}

describe("the lock", () => {
  test("keeps out another process, and is free as soon as that one is killed", async () => {
    const first = other("home.lockHome(folder); console.log('held'); setInterval(() => {}, 1e6);");
    expect(await first.line()).toBe("held");
    expect(isHomeLocked(home)).toBe(true);
    expect(() => lockHome(home, now)).toThrow(
      expect.objectContaining({ code: "HOME_IN_USE", details: { home, pid: first.child.pid } }),
    );
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    // What it left behind still names a pid; that may be anybody's by now and must not matter.
    expect(readRuntime(home)?.pid).toBe(first.child.pid);
    expect(isHomeLocked(home)).toBe(false);
    const lock = lockHome(home, now);
    expect(readRuntime(home)?.pid).toBe(process.pid);
    lock.release();
  });

  test("is waited for while a command holds it for a moment", async () => {
    const lock = lockHome(home);
    const second = other(
      "console.log('ready'); const lock = home.lockHome(folder, { waitMs: 60000 }); console.log('held'); lock.release();",
    );
    expect(await second.line()).toBe("ready");
    lock.release();
    expect(await second.line()).toBe("held");
  });

  test("of many that start together, one gets it", async () => {
    const many = Array.from({ length: 4 }, () =>
      other(`process.stdin.once("data", () => {
        try { home.lockHome(folder, { waitMs: 0 }); console.log("held"); } catch (error) { console.log(error.code); }
      }); console.log("ready"); process.stdin.on("end", () => process.exit());`),
    );
    for (const one of many) expect(await one.line()).toBe("ready");
    for (const one of many) one.child.stdin.write("go\n");
    const answers = await Promise.all(many.map((one) => one.line()));
    expect(answers.sort()).toEqual(["HOME_IN_USE", "HOME_IN_USE", "HOME_IN_USE", "held"]);
    for (const one of many) one.child.stdin.end();
    await Promise.all(many.map((one) => once(one.child, "exit")));
  });
});

describe("a secret file", () => {
  beforeEach(() => ensureHome(home));

  test("is the same for all who make it together", async () => {
    const many = Array.from({ length: 4 }, (_, index) =>
      other(`process.stdin.once("data", () => {
        console.log(home.readOrCreateSecretFile(folder + "/secret", () => "from ${index}").text);
        process.exit();
      }); console.log("ready");`),
    );
    for (const one of many) expect(await one.line()).toBe("ready");
    for (const one of many) one.child.stdin.write("go\n");
    const texts = new Set(await Promise.all(many.map((one) => one.line())));
    expect([...texts]).toEqual([readFileSync(join(home, "secret"), "utf8")]);
    expect(readdirSync(home)).toEqual(["secret"]);
  });
});
