import { afterEach, expect, test, vi } from "vitest";
import { createLogger } from "#platform/log";
import { consoleIntoLog } from "./sdk-console.ts";

const spoken = vi.spyOn(console, "warn").mockImplementation(() => {});
afterEach(() => spoken.mockClear());

test("what is said to the console during the work is a line of the log, cut to a length; other words are not", async () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "debug",
    format: "json",
    destination: { write: (line: string) => void lines.push(line) },
  });
  await consoleIntoLog(log, async () => {
    await Promise.resolve();
    console.warn("Reference task", "x".repeat(10_000), "not found.");
  });
  expect(spoken).not.toHaveBeenCalled();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "").msg).toMatch(/^Reference task x{400}/);
  expect((lines[0] ?? "").length).toBeLessThan(1_000);
  console.warn("somebody else");
  expect(spoken).toHaveBeenCalledWith("somebody else");
});
