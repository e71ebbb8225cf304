import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Summary } from "../test/reporter/summary.ts";

// Runs vitest and ends with one line that says how it went. Vitest runs in a process of its own, so that the line is
// the last one, and is true, whatever happens in there.

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const folder = mkdtempSync(join(tmpdir(), "stoa-summary-"));
const file = join(folder, "summary.json");

const args = process.argv.slice(2);
const reporters = [join(root, "test", "reporter", "summary.ts")];
if (!args.some((arg) => arg.startsWith("--reporter"))) reporters.unshift("default");

const child = spawn(
  process.execPath,
  [vitest, "run", ...reporters.map((name) => `--reporter=${name}`), ...args],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, STOA_TEST_SUMMARY: file },
  },
);
// A terminal sends an interrupt to vitest as well; anyone else sends it to this process only.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
const [code, signal] = await once(child, "exit");

const summary = readSummary();
rmSync(folder, { recursive: true, force: true });
if (code !== 0 && summary.failed === 0) {
  console.log(`\nThe test run ended with ${signal ?? `exit code ${code}`} outside of any test; see above.`);
  summary.failed = 1;
} else if (summary.passed + summary.failed + summary.skipped === 0) {
  console.log("\nNo test was found; see the list of projects and files in vitest.config.ts.");
  summary.failed = 1;
}
for (const name of summary.retried) console.log(`passed on the second try: ${name}`);
for (const [service, reason] of summary.missing) console.log(`skipped what needs ${service}: ${reason}`);
console.log(`${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`);
process.exitCode = summary.failed === 0 ? 0 : 1;

function readSummary(): Summary {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: 0, skipped: 0, missing: [], retried: [] };
  }
}
