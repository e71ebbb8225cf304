import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitCodes } from "#platform/errors";
import { runMain } from "../testing/run-main.ts";

const demo = fileURLToPath(new URL("../../../../../examples/demo", import.meta.url));
let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "stoa-fleet-cli-")));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const stoa = (...args: string[]) => runMain(["fleet", ...args], { cwd });

describe("stoa fleet validate", () => {
  it("says of each file that it is fine, and what the fleet has", async () => {
    const { code, stdout } = await stoa("validate", demo);
    expect(code).toBe(exitCodes.ok);
    expect(stdout).toContain("✓ fleet.yaml\n");
    expect(stdout).toContain("✓ agents/librarian/capabilities.yaml\n");
    expect(stdout).toMatch(/\n✓ fleet demo: 2 agents, 2 tool capabilities\n$/);
  });

  it("lists every problem under its file, from any folder of the fleet", async () => {
    mkdirSync(join(cwd, "agents/a/skills"), { recursive: true });
    writeFileSync(join(cwd, "fleet.yaml"), "version: 1\nnam: x\n");
    writeFileSync(join(cwd, "agents/a/agent.yaml"), 'name: b\nmodel: 7\n"\\x1b[31m": 1\n');
    const { code, stdout } = await stoa("validate", "agents/a/skills");
    expect(code).toBe(exitCodes.config);
    expect(stdout).toBe(
      [
        "✗ fleet.yaml",
        '    1:1: missing "name"',
        '    2:1: unknown key "nam"; did you mean "name"?',
        "✗ agents/a/agent.yaml",
        '    1:1: "name" is "b", but the folder is agents/a; they must agree',
        '    2:8: "model" must be the name of a model, not the number 7',
        '    3:1: unknown key "\\u001b[31m"',
        "",
        `✗ 5 problems in the fleet of ${cwd}`,
        "",
      ].join("\n"),
    );
  });

  it("answers programs in JSON", async () => {
    writeFileSync(join(cwd, "fleet.yaml"), "version: 1\nname: [x]\n");
    const { code, stdout } = await stoa("validate", "--json");
    expect(code).toBe(exitCodes.config);
    expect(JSON.parse(stdout)).toEqual({
      root: cwd,
      valid: false,
      files: ["fleet.yaml"],
      problems: [
        {
          file: "fleet.yaml",
          line: 2,
          column: 7,
          path: "/name",
          message: '"name" must be a name of printable characters, not a list',
        },
      ],
      warnings: [],
    });
  });

  it("fails where there is no fleet", async () => {
    const { code, stderr } = await stoa("validate");
    expect(code).toBe(exitCodes.failure);
    expect(stderr).toContain(`There is no fleet.yaml in ${cwd} or in a folder above it.`);
    expect((await stoa("validate", "nowhere")).stderr).toContain(
      `There is no folder ${join(cwd, "nowhere")}.`,
    );
  });
});

describe("stoa fleet graph", () => {
  it("draws in words, for Graphviz, as a picture, and for programs", async () => {
    expect((await stoa("graph", demo)).stdout).toContain("→ agent librarian   recommend-book");
    expect((await stoa("graph", demo, "--dot")).stdout).toContain('"agent:assistant" -> "agent:librarian"');
    expect((await stoa("graph", demo, "--svg")).stdout).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    const { nodes } = JSON.parse((await stoa("graph", demo, "--json")).stdout);
    expect(nodes[0]).toEqual({ key: "agent:assistant", kind: "agent", id: "assistant", manager: true });
  });

  it("refuses two forms at once, and a fleet with problems", async () => {
    expect((await stoa("graph", demo, "--dot", "--svg")).code).toBe(exitCodes.usage);
    writeFileSync(join(cwd, "fleet.yaml"), "version: 3\n");
    const { code, stderr } = await stoa("graph");
    expect(code).toBe(exitCodes.config);
    expect(stderr).toContain("fleet.yaml:1:10:");
  });
});
