import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Expression, parsePattern } from "#domain/contracts/schema/structure";
import { Program } from "./automaton.ts";
import { findText, type TextDemands } from "./inhabitant.ts";

const program = (source: string) => new Program(parsePattern(source).expression);

function find(matching: string[], notMatching: string[] = [], more: Partial<TextDemands> = {}) {
  return findText({
    matching: matching.map(program),
    notMatching: notMatching.map(program),
    minLength: 0,
    maxLength: Number.POSITIVE_INFINITY,
    isExcluded: () => false,
    ...more,
  });
}

describe("a text that matches some patterns and not others", () => {
  it.each([
    [["^a+$"], ["^a$"], "aa"],
    [["b"], ["^b"], "ab"],
    [["^[a-z]{2}$", "[^aeiou]$"], [], "ab"],
    [["\\bfoo\\b"], ["^foo$"], " foo"],
    [["\\Bfoo"], [], "afoo"],
    [["^(?:ab|c)*$"], ["^$"], "c"],
    [[], [""], undefined],
    [["^$"], ["."], ""],
    [["^a*$"], ["^(?:aa)*$"], "a"],
    [["^[ab]+$"], ["a", "b"], undefined],
    [["a$"], ["a"], undefined],
    [["^a{2,3}$"], ["^aa$", "^aaa$"], undefined],
    [["^.$"], ["^[\\s\\S]$"], undefined],
    [["😀"], [], "😀"],
  ])("%j but not %j: %j", (matching, notMatching, expected) => {
    const found = find(matching, notMatching);
    if (expected === undefined) expect(found).toEqual({ kind: "empty" });
    else
      expect(found.kind === "text" && found.text.length === expected.length && found.text).toSatisfy(
        (text: string) =>
          matching.every((one) => new RegExp(one, "u").test(text)) &&
          !notMatching.some((one) => new RegExp(one, "u").test(text)),
      );
  });

  it("has the length that is asked for", () => {
    expect(find(["^a*$"], [], { minLength: 3 })).toEqual({ kind: "text", text: "aaa" });
    expect(find(["^(?:aa)*$"], [], { minLength: 3, maxLength: 3 })).toEqual({ kind: "empty" });
    expect(find(["^a{5}$"], [], { maxLength: 4 })).toEqual({ kind: "empty" });
  });

  it("is not called missing because others were passed over", () => {
    expect(find(["^a$"], [], { isExcluded: (text) => text === "a" })).toEqual({ kind: "unknown" });
  });

  it("agrees with the language's own engine", () => {
    const simple = fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "\\w", "\\W", "^", "$", "\\b", "\\B");
    const source = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        simple,
        fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
        fc.tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}")).map(([a, q]) => `(?:${a})${q}`),
      ),
    })).node;
    const length = fc.integer({ min: 0, max: 4 });
    const texts = ["", "a", "b", "ab", "ba", "aa", " ", "a b", " a", "b ", "abab", "\n"];
    fc.assert(
      fc.property(source, source, length, (yes, no, minLength) => {
        const [one, other] = [new RegExp(yes, "u"), new RegExp(no, "u")];
        const found = find([yes], [no], { minLength });
        const fits = (text: string) => one.test(text) && !other.test(text) && [...text].length >= minLength;
        if (found.kind === "text") expect(fits(found.text)).toBe(true);
        if (found.kind === "empty") expect(texts.filter(fits)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is not looked for in a program that would be too large", () => {
    const deep = (depth: number): Expression =>
      depth === 0
        ? { kind: "set", set: [[97, 97]] }
        : { kind: "repeat", item: deep(depth - 1), min: 20, max: 20 };
    expect(() => new Program(deep(4))).toThrow();
  });
});
