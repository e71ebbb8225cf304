import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/test.ts", import.meta.url));
const fixture = fileURLToPath(new URL("fixture", import.meta.url));
const services = { FIXTURE_SETUP: "../../services/global-setup.ts", STOA_TEST_WITHOUT: "nats" };

interface Outcome {
  code: number;
  lastLine: string | undefined;
  output: string;
}

/** What `npm test` does, on the fixture's files of these names. */
function run(names: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const args = [script, "--root", fixture, ...names];
  // A run inside a run must not take over what the outer one says about itself.
  const {
    STOA_TEST_SUMMARY: _,
    VITEST: _v,
    VITEST_WORKER_ID: _w,
    VITEST_POOL_ID: _p,
    ...outer
  } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...outer, CI: "true", ...env } }, (error, stdout, stderr) => {
      const code = error ? Number(error.code) : 0;
      expect(stdout.endsWith("\n")).toBe(true);
      resolve({ code, lastLine: stdout.trimEnd().split("\n").at(-1), output: stdout + stderr });
    });
  });
}

test.concurrent.each([
  ["passes and skips", ["good"], 0, "2 passed, 0 failed, 2 skipped"],
  ["a test that fails", ["good", "bad"], 1, "3 passed, 1 failed, 2 skipped"],
  ["a hook that throws", ["hook"], 1, "0 passed, 1 failed, 1 skipped"],
  ["a file that cannot be loaded", ["good", "load"], 1, "2 passed, 1 failed, 2 skipped"],
  ["an error outside of any test", ["unhandled"], 1, "1 passed, 1 failed, 0 skipped"],
  ["no test at all", ["nothing-is-called-this"], 1, "0 passed, 1 failed, 0 skipped"],
])("%s", async (_, names, code, lastLine) => {
  const outcome = await run(names);
  expect(outcome, outcome.output).toMatchObject({ code, lastLine });
});

test.concurrent("a worker that dies is a failure", async () => {
  const { code, lastLine, output } = await run(["good", "dies"]);
  expect(code, output).toBe(1);
  expect(lastLine).toMatch(/^2 passed, [1-9]\d* failed, \d+ skipped$/);
});

test.concurrent("a set-up that throws is a failure, not an empty success", async () => {
  const { code, lastLine, output } = await run(["good"], { FIXTURE_SETUP: "./broken-setup.ts" });
  expect(code, output).toBe(1);
  expect(lastLine).toMatch(/^0 passed, [1-9]\d* failed, \d+ skipped$/);
});

test.concurrent("tests that need a missing service are skipped, with which and why before the last line", async () => {
  const { code, lastLine, output } = await run(["needs"], { ...services, CI: "" });
  expect(code, output).toBe(0);
  expect(lastLine).toBe("1 passed, 0 failed, 2 skipped");
  expect(output).toContain("skipped what needs nats: switched off by STOA_TEST_WITHOUT\n1 passed");
});

test.concurrent("with CI=true a missing service is a failure", async () => {
  const { code, lastLine, output } = await run(["needs"], services);
  expect(code, output).toBe(1);
  expect(lastLine).toBe("1 passed, 1 failed, 2 skipped");
  expect(output).toContain("nats is not available: switched off by STOA_TEST_WITHOUT");
});
