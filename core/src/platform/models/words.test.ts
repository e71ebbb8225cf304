import { afterEach, expect, test, vi } from "vitest";
import { roughTokens } from "./words.ts";

afterEach(() => vi.restoreAllMocks());

test("tokens are words and marks, whatever the script", () => {
  expect(roughTokens("")).toBe(0);
  expect(roughTokens(" \n ")).toBe(0);
  expect(roughTokens("To be, or not…")).toBe(6);
  expect(roughTokens("Größe 12 🏛️!")).toBe(5);
});

test("they are counted without a list of them", () => {
  const list = vi.spyOn(String.prototype, "match");
  expect(roughTokens("ab, ".repeat(1_000_000))).toBe(2_000_000);
  expect(list).not.toHaveBeenCalled();
});
