import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exitCodes } from "#platform/errors";
import { runMain } from "../testing/run-main.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stoa-capabilities-"));
  write("fleet.yaml", "version: 1\nname: f\n");
  write("agents/pr-reviewer/capabilities.yaml", declaration("[low, med, high]"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (path: string) => readFileSync(join(root, path), "utf8");

const declaration = (severities: string) => `version: 1
agent: agent://pr-reviewer
capabilities:
  - name: review-pr
    inputSchema:
      type: object
      properties: { prUrl: { type: string }, severity: { enum: ${severities} } }
      required: [prUrl, severity]
      additionalProperties: false
`;

const stoa = (line: string, below = "") => runMain(line.split(" "), { cwd: join(root, below) });

describe("stoa capabilities gen", () => {
  test("reads a peer of the fleet around, and writes into generated/ here", async () => {
    mkdirSync(join(root, "agents/caller/deep"), { recursive: true });
    const { code, stdout } = await stoa("capabilities gen --peer pr-reviewer", "agents/caller/deep");
    expect([code, stdout]).toEqual([0, "✓ wrote generated/pr-reviewer.ts (1 capability)\n"]);
    expect(read("agents/caller/deep/generated/pr-reviewer.ts")).toContain(
      'severity: "low" | "med" | "high";',
    );
  });

  test("counts capabilities, and writes where it is told", async () => {
    write("theirs.yaml", `${declaration("[a]")}  - name: second\n`);
    const { stdout } = await stoa("capabilities gen --capabilities theirs.yaml --out out/types");
    expect(stdout).toBe("✓ wrote out/types/pr-reviewer.ts (2 capabilities)\n");
    expect(readdirSync(join(root, "out/types"))).toEqual(["pr-reviewer.ts"]);
  });

  test.each([
    ["python", "generated/pr_reviewer.py", "class ReviewPrRequest(_Model):"],
    ["go", "generated/prreviewer/prreviewer.go", "type ReviewPrRequest struct {"],
  ])("writes %s", async (language, file, line) => {
    const { code, stdout } = await stoa(`capabilities gen --peer pr-reviewer --lang ${language} --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      agent: "agent://pr-reviewer",
      language,
      file,
      capabilities: 1,
      changed: true,
    });
    expect(read(file)).toContain(line);
  });

  test("checks without writing", async () => {
    const check = "capabilities gen --peer pr-reviewer --check";
    const missing = await stoa(check);
    expect([missing.code, missing.stdout]).toEqual([
      1,
      "✗ generated/pr-reviewer.ts is missing; generate it again\n",
    ]);
    expect(readdirSync(root)).not.toContain("generated");
    await stoa("capabilities gen --peer pr-reviewer");
    expect((await stoa(check)).code).toBe(0);
    write("agents/pr-reviewer/capabilities.yaml", declaration("[low]"));
    const before = read("generated/pr-reviewer.ts");
    const stale = await stoa(`${check} --json`);
    expect([stale.code, JSON.parse(stale.stdout).state]).toEqual([1, "stale"]);
    expect(read("generated/pr-reviewer.ts")).toBe(before);
  });

  test.each([
    ["capabilities gen", exitCodes.usage, "Give one of --peer <id> and --capabilities <path>."],
    ["capabilities gen --peer a --capabilities b", exitCodes.usage, "Give one of"],
    ["capabilities gen --peer ../pr-reviewer", exitCodes.usage, "is no agent id"],
    ["capabilities gen --peer nobody", exitCodes.failure, "agents/nobody is not there)."],
    ["capabilities gen --peer pr-reviwer", exitCodes.failure, "did you mean pr-reviewer?"],
    ["capabilities gen --capabilities nothing.yaml", exitCodes.failure, "nothing.yaml is not there"],
    ["capabilities gen --capabilities fleet.yaml", exitCodes.config, "fleet.yaml"],
    [
      "capabilities gen --peer pr-reviewer --lang cobol",
      exitCodes.usage,
      "--lang must be one of ts, python, go",
    ],
  ])("%s: exit %i", async (line, exit, message) => {
    const { code, stderr } = await stoa(line);
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
  });

  test("says so where an agent offers nothing", async () => {
    write("agents/assistant/agent.yaml", "name: assistant\n");
    const { code, stderr } = await stoa("capabilities gen --peer assistant");
    expect([code, stderr]).toEqual([
      exitCodes.failure,
      expect.stringContaining("The agent assistant has no capabilities.yaml"),
    ]);
  });

  test("says so outside a fleet", async () => {
    rmSync(join(root, "fleet.yaml"));
    const { code, stderr } = await stoa("capabilities gen --peer pr-reviewer");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no fleet.yaml")]);
    expect(stderr).toContain("hint: Check the name, id or path in the message");
  });
});

describe("stoa capabilities check", () => {
  beforeEach(() => {
    write("old.yaml", declaration("[low, med, high]"));
    write("new.yaml", declaration("[low, high, urgent]"));
  });

  test("tells what breaks, for whom, and shows it", async () => {
    const { code, stdout } = await stoa("capabilities check --against old.yaml --capabilities new.yaml");
    expect(code).toBe(1);
    expect(stdout).toBe(`agent://pr-reviewer
  ✗ review-pr request /properties/severity/enum: value "med" removed
      callers: breaking, accepted before, refused now: {"prUrl":"","severity":"med"}
      callees: compatible
  ✓ review-pr request /properties/severity/enum: value "urgent" added
      callers: compatible
      callees: breaking, refused before, possible now: {"prUrl":"","severity":"urgent"}
✗ breaking for callers
`);
  });

  test("is content with what callers do not feel, unless it is told otherwise", async () => {
    write("new.yaml", declaration("[low, med, high, urgent]"));
    const line = "capabilities check --against old.yaml --capabilities new.yaml";
    expect((await stoa(line)).code).toBe(0);
    expect((await stoa(`${line} --for callees`)).code).toBe(1);
    expect((await stoa(`${line} --for both`)).code).toBe(1);
  });

  test.each([
    ["[low, med]", "✗ breaking for callers\n"],
    ["[low, med, high, urgent]", "✗ breaking for callees\n"],
    ["[low, high, urgent]", "✗ breaking for callers and callees\n"],
    ["[low, med, high]", "✓ compatible for callers and callees\n"],
  ])("for both, with %s, names those who are broken", async (severities, last) => {
    write("new.yaml", declaration(severities));
    const { stdout } = await stoa("capabilities check --against old.yaml --capabilities new.yaml --for both");
    expect(stdout.endsWith(last), stdout).toBe(true);
  });

  test("prints JSON for programs", async () => {
    const { code, stdout } = await stoa(
      "capabilities check --against old.yaml --capabilities new.yaml --json",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      against: "old.yaml",
      for: "callers",
      breaking: true,
      agents: [
        {
          agent: "agent://pr-reviewer",
          breaksCallers: true,
          capabilities: [
            {
              name: "review-pr",
              before: { fingerprint: expect.stringMatching(/^sha256:/) },
              changes: [
                { callers: { verdict: "breaking", payload: { severity: "med" } } },
                { callers: { verdict: "compatible" } },
              ],
            },
          ],
        },
      ],
    });
  });

  test("says so where nothing changed", async () => {
    const { code, stdout } = await stoa("capabilities check --against old.yaml --peer pr-reviewer");
    expect([code, stdout]).toEqual([0, "agent://pr-reviewer: no changes\n✓ compatible for callers\n"]);
  });

  test.each([
    ["capabilities check --capabilities new.yaml", "--against"],
    ["capabilities check --against old.yaml", "Give one of --peer <id> and --capabilities <path>."],
    ["capabilities check --against=-x --capabilities new.yaml", "is neither a file nor a git ref"],
    ["capabilities check --against old.yaml --capabilities new.yaml --for me", "--for must be one of"],
  ])("%s is a usage error", async (line, message) => {
    const { code, stderr } = await stoa(line);
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain(message);
  });
});
