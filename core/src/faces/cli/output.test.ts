import { expect, test } from "vitest";
import { printable } from "./output.ts";

test.each([
  ["plain", "plain"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["a\nb", "a\uFFFDb"],
  ["bell\u0007", "bell\uFFFD"],
  ["turned \u202eround", "turned \uFFFDround"],
  ["é漢😀", "é漢😀"],
])("%j is printed as %j", (text, shown) => expect(printable(text)).toBe(shown));
