import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { compilePattern, PatternError } from "./index.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

const refusal = (source: string): string => {
  try {
    compilePattern(source);
  } catch (thrown) {
    if (thrown instanceof PatternError) return thrown.message;
    throw thrown;
  }
  return "accepted";
};

describe("a pattern", () => {
  it.each<[source: string, matches: string[], not: string[]]>([
    ["^a$", ["a"], ["a\n", "ab", "\na"]],
    ["^.$", ["a", "😀", "\u0085"], ["\n", "\r", "\u2028", "\u2029", ""]],
    ["^\\s$", [" ", "\u00a0", "\ufeff", "\u3000", "\v"], ["a", "\u200b"]],
    ["^\\S$", ["a", "\u200b"], ["\u00a0"]],
    ["^\\d+$", ["09"], ["٣"]],
    ["^\\w$", ["_"], ["é"]],
    ["^[\\W\\d]$", ["é", "5"], ["a"]],
    ["^\\p{L}$", ["é", "ß", "漢", "𐐷"], ["1", "é1"]],
    ["^\\p{Script=Greek}+$", ["αβγ"], ["abc"]],
    ["^\\P{Lu}$", ["a", "1"], ["A", "É"]],
    ["^[^\\p{L}\\s]+$", ["123!"], ["a", " "]],
    ["^\\u{1F600}\\uD83D\\uDE00$", ["😀😀"], ["😀"]],
    ["^[\\u{1F600}-\\u{1F64F}]$", ["😀"], ["a"]],
    ["\\bfoo\\b", ["a foo b"], ["afoo"]],
    ["^(?<year>\\d{4})-(?:a|b)*?$", ["2024-ab"], ["24-a"]],
    ["^[]$", [], ["", "a"]],
    ["^[^]$", ["a", "\n"], [""]],
    ["^(?:)$", [""], ["a"]],
    ["a|", ["", "b"], []],
    ["^\\cJ\\0\\x41\\t$", ["\n\0A\t"], ["A"]],
    ["^\\-\\_\\@$", ["-_@"], ["-"]],
    ["^[\\w-.]+$", ["a-b.c"], ["a b"]],
    ["^a{0}b{2,}c{1,2}$", ["bbc", "bbbcc"], ["abbc", "bc"]],
    ["[\\b]", ["\b"], ["b"]],
    ["^/$", ["/"], [""]],
  ])("%s", (source, matches, not) => {
    const pattern = compilePattern(source);
    expect(matches.filter((text) => !pattern.test(text))).toEqual([]);
    expect(not.filter((text) => pattern.test(text))).toEqual([]);
  });

  it.each([
    ["(?=a)", "a lookahead cannot be matched in linear time"],
    ["(?!a)", "a lookahead cannot be matched in linear time"],
    ["(?<=a)b", "a lookbehind cannot be matched in linear time"],
    ["(?<!a)b", "a lookbehind cannot be matched in linear time"],
    ["(a)\\1", "a backreference cannot be matched in linear time"],
    ["(?<x>a)\\k<x>", "a backreference cannot be matched in linear time"],
    ["(?i:a)", "only (…), (?:…) and (?<name>…) are groups here"],
    ["(", "a group is not closed"],
    [")", 'unexpected ")"'],
    ["[a", "it ends too early"],
    ["*", '"*" has nothing to repeat'],
    ["^*", '"*" has nothing to repeat'],
    ["a**", '"*" has nothing to repeat'],
    ["a{2,1}", "a repetition from 2 to 1 is out of order"],
    ["a{,1}", '"{" stands alone; escape it'],
    ["{", '"{" stands alone; escape it'],
    ["\\Z", '"\\Z" means nothing'],
    ["\\", "it ends too early"],
    ["\\p{Nope}", 'there is no Unicode property "Nope"'],
    ["\\p{L}{0}\\p{constructor}", 'there is no Unicode property "constructor"'],
    ["[b-a]", "a character range is out of order"],
    ["\\u{110000}", "\\u{110000} is no code point"],
    ["\\xg1", '"g1" is not hexadecimal'],
    ["\\01", "octal escapes are not allowed"],
    ["(?<a>x)(?<a>y)", "it is not a regular expression"],
    ["(?<1>x)", "it is not a regular expression"],
    ["a{1001}", "it repeats something more than 1000 times, all in all"],
    ["(?:a{40}){40}", "it repeats something more than 1000 times, all in all"],
    ["(?:abcdefgh){900}", "written out, it is larger than 2000 steps"],
    ["a".repeat(2_001), "it is longer than 2000 characters"],
    ["(".repeat(60), "groups are nested deeper than 50 levels"],
  ])("%s is refused", (source, message) => {
    expect(refusal(source)).toBe(message);
  });

  it("that makes backtracking engines hang costs nothing here", () => {
    for (const source of ["^(a+)+$", "(x+x+)+y", "^(a|a)*$", "(.*)*=.*"]) {
      expect(compilePattern(source).test(`${"a".repeat(20_000)}!`)).toBe(false);
    }
  });
});

/** Regular expressions over a small alphabet, where two engines are likely to be put to the test. */
const expressions: fc.Arbitrary<string> = fc.letrec<{ choice: string; sequence: string; atom: string }>(
  (tie) => ({
    choice: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      tie("sequence"),
      fc.tuple(tie("sequence"), tie("choice")).map(([a, b]) => `${a}|${b}`),
    ),
    sequence: fc
      .array(
        fc
          .tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "??"))
          .map(([atom, quantifier]) => (/^(?:\^|\$|\\b|\\B)$/.test(atom) ? atom : atom + quantifier)),
        { maxLength: 3 },
      )
      .map((parts) => parts.join("")),
    atom: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom(
        "a",
        "b",
        "\\.",
        ".",
        "^",
        "$",
        "\\b",
        "\\B",
        "\\d",
        "\\D",
        "\\w",
        "\\W",
        "\\s",
        "\\S",
        "😀",
      ),
      fc.constantFrom(
        "[ab]",
        "[^a]",
        "[a-c\\d]",
        "[\\s\\S]",
        "[^\\w😀]",
        "\\p{Lu}",
        "[\\P{L}a]",
        "\\u{e9}",
        "\\n",
        "\\t",
      ),
      tie("choice").map((inner) => `(${inner})`),
      tie("choice").map((inner) => `(?:${inner})`),
    ),
  }),
).choice;
const texts = fc.string({
  unit: fc.constantFrom("a", "b", "A", "1", "_", " ", "\n", "\r", "é", "😀", "\u2028", ".", "\u00a0"),
  maxLength: 8,
});

describe("patterns of ECMAScript", () => {
  it("match what the language's own engine matches", () => {
    fc.assert(
      fc.property(expressions, fc.array(texts, { minLength: 1, maxLength: 6 }), (source, inputs) => {
        fc.pre(refusal(source) === "accepted");
        const pattern = compilePattern(source);
        const native = new RegExp(source, "u");
        for (const input of inputs) expect([input, pattern.test(input)]).toEqual([input, native.test(input)]);
      }),
      { seed: 20_241, numRuns: 2_000 },
    );
  });

  it("are refused cleanly, or are regular expressions, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(..."ab(|)[]{}*+?^$.\\-:<>=!,0129dDwWsSpPuxkc&/😀"),
          maxLength: 12,
        }),
        (source) => {
          if (refusal(source) !== "accepted") return;
          // Without the flag the language is as lenient as we are, and more.
          expect(() => new RegExp(source)).not.toThrow();
        },
      ),
      { seed: 20_242, numRuns: 10_000 },
    );
  });
});
