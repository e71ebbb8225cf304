import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completionScript, completionTree, type Shell, shells } from "./completion.ts";
import { processIo } from "./io.ts";
import { createProgram } from "./program.ts";

const scriptOf = (shell: Shell) =>
  completionScript(shell, completionTree(createProgram(processIo()).program));
const has = (shell: Shell) => spawnSync(shell, ["-c", "true"]).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stoa-completion-"));
  for (const shell of shells) writeFileSync(join(folder, `stoa.${shell}`), scriptOf(shell));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!has("bash"))("in bash", () => {
  function complete(...typed: string[]): string[] {
    const words = ["stoa", ...typed].map((word) => JSON.stringify(word)).join(" ");
    const line = `source ${folder}/stoa.bash; COMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _stoa; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["--norc", "-c", line])
      .toString()
      .split("\n")
      .filter((word) => word !== "");
  }

  test("commands, and those below them", () => {
    expect(complete("")).toEqual(expect.arrayContaining(["up", "doctor", "key", "--json", "--help"]));
    expect(complete("do")).toEqual(["doctor"]);
    expect(complete("key", "")).toEqual(expect.arrayContaining(["create", "list", "revoke"]));
    expect(complete("key", "")).not.toContain("up");
  });

  test("options, and the values that are known", () => {
    expect(complete("up", "--http")).toEqual(["--http-host", "--http-port"]);
    expect(complete("up", "--http-port", "1", "--log-level", "")).toEqual(
      expect.arrayContaining(["debug", "warn"]),
    );
    expect(complete("key", "create", "--role", "")).toEqual(["viewer", "member", "admin"]);
    expect(complete("completion", "b")).toEqual(["bash"]);
    expect(complete("--json", "key", "re")).toEqual(["revoke"]);
  });

  test("files, where a value could be one", () => {
    expect(complete("up", "--config", `${folder}/stoa.b`)).toEqual([`${folder}/stoa.bash`]);
  });
});

describe.skipIf(!has("fish"))("in fish", () => {
  function complete(typed: string): string[] {
    const line = `source ${folder}/stoa.fish; complete -C ${JSON.stringify(`stoa ${typed}`)}`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", line], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").flatMap((found) => (found === "" ? [] : [String(found.split("\t")[0])]));
  }

  test("commands, options and values", () => {
    expect(complete("")).toEqual(expect.arrayContaining(["up", "doctor", "key"]));
    expect(complete("key ")).toEqual(expect.arrayContaining(["create", "list", "revoke"]));
    expect(complete("key ")).not.toContain("up");
    expect(complete("up --http")).toEqual(["--http-host", "--http-port"]);
    expect(complete("key create --role ")).toEqual(["admin", "member", "viewer"]);
  });
});

describe.skipIf(!has("zsh"))("in zsh", () => {
  /** The line editor's own commands work in a terminal only; these print what they are given. */
  const editor = `compdef() { }; _files() { print files }; _describe() { print -rl -- "\${(@P)2}" }
    compadd() { shift; print -rl -- "$@" }`;

  function complete(...typed: string[]): string[] {
    const words = ["stoa", ...typed].map((word) => JSON.stringify(word)).join(" ");
    const line = `${editor}; source ${folder}/stoa.zsh; words=(${words}); CURRENT=${typed.length + 1}; _stoa`;
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", line], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.split("\n").flatMap((found) => (found === "" ? [] : [String(found.split(":")[0])]));
  }

  test("commands, options and values", () => {
    expect(complete("")).toEqual(expect.arrayContaining(["up", "doctor", "key", "--json"]));
    expect(complete("key", "")).toEqual(expect.arrayContaining(["create", "list", "revoke"]));
    expect(complete("key", "")).not.toContain("up");
    expect(complete("--json", "key", "create", "--role", "")).toEqual(["viewer", "member", "admin"]);
    expect(complete("up", "--config", "")).toEqual(["files"]);
  });
});

test.each(shells.filter(has))("%s finds no fault with its script", (shell) => {
  const flags = shell === "fish" ? ["--no-execute"] : ["-n"];
  expect(spawnSync(shell, [...flags, join(folder, `stoa.${shell}`)], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("nothing in a description can end a quoted word", () => {
  const node = {
    path: [],
    description: "",
    values: [],
    words: [{ word: "x", description: "it's $(id) `id`\nnow" }],
  };
  expect(completionScript("fish", [node])).toContain("'it'\\''s $(id) `id` now'");
});
