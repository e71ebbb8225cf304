import { expect, test } from "vitest";
import { covers } from "./subjects.ts";

test.each([
  ["a", "a", true],
  ["a", "b", false],
  ["a", "a.b", false],
  ["a.b", "a", false],
  ["*", "a", true],
  ["*", "a.b", false],
  ["a.*.c", "a.b.c", true],
  ["a.*.c", "a.b.d", false],
  [">", "a", true],
  [">", "a.b.c", true],
  ["a.>", "a", false],
  ["a.>", "a.b.c", true],
  ["a.*.>", "a.b", false],
  ["a.*.>", "a.b.c", true],
])("%s covers %s: %s", (pattern, subject, expected) => {
  expect(covers(pattern, subject)).toBe(expected);
});
