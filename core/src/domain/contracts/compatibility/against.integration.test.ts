import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareFleet, compareWithFile, compareWithRevision } from "./index.ts";

const run = promisify(execFile);
let root: string;

const declaration = (agent: string, type: string) =>
  `version: 1\nagent: agent://${agent}\ncapabilities:\n  - name: c\n    inputSchema: { type: ${type} }\n`;

async function write(path: string, text: string): Promise<string> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text);
  return full;
}

async function git(...args: string[]): Promise<void> {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "commit.gpgsign=false"];
  await run("git", [...identity, ...args], { cwd: root });
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "stoa-against-"));
  await git("init", "-q", "-b", "main");
  await write("fleet.yaml", "version: 1\nname: f\n");
  await write("agents/a/capabilities.yaml", declaration("a", "integer"));
  await write("agents/gone/capabilities.yaml", declaration("gone", "integer"));
  await git("add", "-A");
  await git("commit", "-q", "-m", "before");
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe("a declaration against git", () => {
  it("is compared with what it was", async () => {
    const file = await write("agents/a/capabilities.yaml", declaration("a", "number"));
    expect(await compareWithRevision(file, "main")).toMatchObject({
      agent: "agent://a",
      breaksCallers: false,
      breaksCallees: true,
    });
    await git("commit", "-q", "-am", "now");
    expect((await compareWithRevision(file, "HEAD")).changes).toEqual([]);
    expect((await compareWithRevision(file, "HEAD~1")).changes).toHaveLength(1);
  });

  it("that was not there yet is new", async () => {
    const file = await write("agents/b/capabilities.yaml", declaration("b", "string"));
    expect((await compareWithRevision(file, "HEAD")).changes).toMatchObject([
      { summary: "the capability added" },
    ]);
  });

  it("is compared for a whole fleet, with agents that are new or gone", async () => {
    await rm(join(root, "agents/gone"), { recursive: true });
    await write("agents/b/capabilities.yaml", declaration("b", "string"));
    await write("agents/a/capabilities.yaml", declaration("a", "string"));
    const compared = await compareFleet(root, "HEAD");
    expect(
      compared.map(({ agent, breaksCallers, changes }) => [agent, breaksCallers, changes.length]),
    ).toEqual([
      ["agent://a", true, 1],
      ["agent://b", false, 1],
      ["agent://gone", true, 1],
    ]);
  });

  it.each(["-x", "--output=/tmp/x", "nope", "HEAD:fleet.yaml", "HEAD HEAD", "", "HEAD\n", "$(id)", "@{-1}"])(
    "refuses %j as a ref, and runs nothing by it",
    async (ref) => {
      const file = join(root, "agents/a/capabilities.yaml");
      await expect(compareWithRevision(file, ref)).rejects.toThrow(/is neither a file nor/);
    },
  );

  it("says so where there is no repository", async () => {
    await rm(join(root, ".git"), { recursive: true });
    await expect(compareFleet(root, "HEAD")).rejects.toThrow(
      /neither a file nor a commit of the git repository/,
    );
  });

  it("names the ref and the file where what it was cannot be read", async () => {
    await write(
      "agents/a/capabilities.yaml",
      "version: 1\nagent: agent://a\ncapabilities: [{ name: c, inputSchema: { typ: x } }]\n",
    );
    await git("commit", "-q", "-am", "broken");
    const file = await write("agents/a/capabilities.yaml", declaration("a", "number"));
    await expect(compareWithRevision(file, "HEAD")).rejects.toThrow(/HEAD:capabilities\.yaml/);
  });
});

describe("a declaration against a file", () => {
  it("is compared with it", async () => {
    const before = await write("old.yaml", declaration("a", "number"));
    const file = join(root, "agents/a/capabilities.yaml");
    expect(await compareWithFile(file, before)).toMatchObject({ breaksCallers: true, breaksCallees: false });
  });

  it("says so where there is none", async () => {
    await expect(compareWithFile(join(root, "nope.yaml"), join(root, "fleet.yaml"))).rejects.toThrow();
    await expect(
      compareWithFile(join(root, "agents"), join(root, "agents/a/capabilities.yaml")),
    ).rejects.toThrow(/agents/);
  });
});
