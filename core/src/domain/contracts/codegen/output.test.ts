import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareGenerated, generate, writeGenerated } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stoa-output-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const source = (agent: string) => ({ agent, capabilities: [{ name: "a" }] });

describe("the output folder", () => {
  it("gets the file, below folders that were not there, and nothing beside it", async () => {
    const out = join(folder, "x", "generated");
    const file = generate(source("me"), "go");
    expect(await compareGenerated(out, file)).toBe("missing");
    expect(await writeGenerated(out, file, "me")).toBe(true);
    expect(await readFile(join(out, "me", "me.go"), "utf8")).toBe(file.text);
    expect(await readdir(join(out, "me"))).toEqual(["me.go"]);
    expect(await compareGenerated(out, file)).toBe("fresh");
    expect(await writeGenerated(out, file, "me")).toBe(false);
  });

  it("tells a stale file, and gets a fresh one", async () => {
    const file = generate(source("me"), "ts");
    await writeFile(join(folder, "me.ts"), "// something older\n");
    expect(await compareGenerated(folder, file)).toBe("stale");
    expect(await writeGenerated(folder, file, "me")).toBe(true);
    expect(await compareGenerated(folder, file)).toBe("fresh");
  });

  it("keeps what was generated from another agent", async () => {
    const [first, second] = [generate(source("a-b"), "python"), generate(source("a_b"), "python")];
    expect(second.path).toBe(first.path);
    await writeGenerated(folder, first, "a-b");
    await expect(writeGenerated(folder, second, "a_b")).rejects.toThrow(
      /was generated from agent:\/\/a-b.*--out/s,
    );
    expect(await compareGenerated(folder, first)).toBe("fresh");
  });

  it("replaces a link instead of following it", async () => {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "mine");
    await symlink(elsewhere, join(folder, "me.ts"));
    await writeGenerated(folder, generate(source("me"), "ts"), "me");
    expect(await readFile(elsewhere, "utf8")).toBe("mine");
  });

  it("says where it cannot be written", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(writeGenerated(join(folder, "file"), generate(source("me"), "ts"), "me")).rejects.toThrow(
      /file\/me\.ts cannot be written: ENOTDIR/,
    );
  });
});
