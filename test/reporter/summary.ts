import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import { missingServices } from "../services/missing.ts";

/** What a run came to; scripts/test.ts reads it from the file named in STOA_TEST_SUMMARY. */
export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** Service name and reason. */
  missing: [string, string][];
  /** Tests that passed only when they were tried again. */
  retried: string[];
}

/** Counts everything that can go wrong in a run, also what happens outside of a test. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const summary: Summary = {
      passed: 0,
      failed: unhandled.length,
      skipped: 0,
      missing: [...missingServices()],
      retried: [],
    };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky) summary.retried.push(`${module.relativeModuleId} > ${test.fullName}`);
        if (state === "passed") summary.passed++;
        else if (state === "failed") summary.failed++;
        // A test that is still pending was never run: the run was interrupted, or its worker died.
        else if (state === "skipped") summary.skipped++;
        else summary.failed++;
      }
      // A file that cannot be loaded and a hook that throws fail no test, but they are failures.
      summary.failed += module.errors().length;
      for (const suite of module.children.allSuites()) summary.failed += suite.errors().length;
    }
    const file = process.env.STOA_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}
