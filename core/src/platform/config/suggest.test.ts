import { expect, test } from "vitest";
import { closest } from "./suggest.ts";

const names = ["host", "port", "bodyLimit", "requestTimeout"];

test.each([
  ["prot", "port"],
  ["hots", "host"],
  ["body_limit", "bodyLimit"],
  ["BODYLIMIT", "bodyLimit"],
  ["requestTimout", "requestTimeout"],
])("%s means %s", (word, meant) => expect(closest(word, names)).toBe(meant));

test.each(["xyz", "", "q", "x".repeat(1_000_000)])("%.10s means nothing", (word) => {
  expect(closest(word, names)).toBeUndefined();
});
