import { expect, test } from "vitest";
import { checkLock, checkText, mendLock } from "./tracked.ts";

const messages = (text: string, machine: string[] = []) =>
  checkText("a.md", text, machine).map(({ message }) => message);

test.each([
  ["a work folder", `"${["", "work", "stoa", "x"].join("/")}"`],
  ["root's home folder", `(${["", "root", "x"].join("/")})`],
  ["a package host", `https://${["registry", "npmjs", "org"].join(".")}/x`],
])("%s is found, with its line", (_, text) => {
  expect(checkText("a.md", `fine\n${text}`, [])).toMatchObject([{ file: "a.md", line: 2 }]);
});

test("the folders of this machine are found wherever they are named", () => {
  expect(messages("see file:///srv/build/stoa/core", ["/srv/build/stoa"])).toHaveLength(1);
  expect(messages("see /home/ada/x", ["/home/ada"])).toHaveLength(1);
});

test.each([
  "/api/work/ada/x",
  "https://example.com/root/ada/x",
  "./work/x",
  "~/work/x",
  "/var/lib/stoa",
  "/home/ada/x",
])("%s is fine", (text) => expect(messages(text)).toEqual([]));

const entry = { version: "1.0.0", integrity: "sha512-x" };
const lock = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages });

test("a lock file that names hosts, or that would make npm compile, is found and mended", () => {
  const text = lock({
    "node_modules/a": { ...entry, resolved: "https://packages.example/a.tgz" },
    "node_modules/better-sqlite3": entry,
    "node_modules/@stoa/core": { resolved: "core", link: true },
  });
  expect(checkLock("lock", text).map(({ message }) => message)).toEqual([
    "node_modules/a is tied to packages.example",
    'node_modules/better-sqlite3 lacks "gypfile": false; npm 10 would need a compiler',
  ]);
  const mended = mendLock(text);
  expect(checkLock("lock", mended)).toEqual([]);
  expect(JSON.parse(mended).packages["node_modules/@stoa/core"]).toEqual({ resolved: "core", link: true });
  expect(mendLock(mended)).toBe(mended);
});
