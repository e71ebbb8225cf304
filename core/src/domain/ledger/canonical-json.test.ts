import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

function double(bits: string): number {
  return Buffer.from(bits, "hex").readDoubleBE();
}

describe("the RFC's own vectors", () => {
  test("3.2.2 and 3.2.4: primitives, and the bytes they end up as", () => {
    const input: unknown = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`);
    const hex =
      "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e33" +
      "3333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e" +
      "4127425c225c5c5c5c5c222f227d";
    expect(Buffer.from(canonicalJson(input)).toString("hex")).toBe(hex);
  });

  test("3.2.3: properties are sorted by UTF-16 code units", () => {
    const input: unknown = JSON.parse(String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`);
    const order = [...canonicalJson(input).matchAll(/:"([^"]*)"/g)].map((match) => match[1]);
    expect(order).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
  });

  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("appendix B: %s is %s", (bits, text) => {
    expect(canonicalJson(double(bits))).toBe(text);
  });

  test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])(
    "appendix B: %s is refused",
    (bits) => {
      expect(() => canonicalJson([double(bits)])).toThrow(/at \/0: .* is no JSON number/);
    },
  );
});

describe("what JSON cannot hold is refused by its path", () => {
  const loop: Record<string, unknown> = {};
  loop.again = loop;
  test.each<[string, unknown, RegExp]>([
    ["a lone surrogate", { a: ["\ud800"] }, /at \/a\/0: .*surrogate/],
    ["a lone surrogate in a name", { "\udead": 1 }, /at \/: .*surrogate/],
    ["a bigint", { n: 1n }, /at \/n: bigint/],
    ["a function", [() => 1], /at \/0: function/],
    ["a symbol", Symbol("s"), /at \/: symbol/],
    ["nothing at all", undefined, /at \/: undefined/],
    ["a hole", new Array(2), /at \/0: undefined/],
    ["a date", { at: new Date(0) }, /at \/at: a Date/],
    ["a map", new Map(), /a Map/],
    ["a value that contains itself", loop, /nested deeper/],
  ])("%s", (_name, value, message) => {
    expect(() => canonicalJson(value)).toThrow(message);
  });

  test("a value of great depth ends in an error, not in a stack overflow", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow(/nested deeper/);
  });
});

describe("properties", () => {
  const value = fc.jsonValue({ depthSize: "medium", noUnicodeString: false });

  function shuffled(input: unknown, seed: number): unknown {
    if (Array.isArray(input)) return input.map((item) => shuffled(item, seed));
    if (typeof input !== "object" || input === null) return input;
    const entries = Object.entries(input).map(([key, item]) => [key, shuffled(item, seed)] as const);
    const turn = entries.length === 0 ? 0 : seed % entries.length;
    return Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)].reverse());
  }

  test("the text is JSON of the same value, and canonical itself", () => {
    fc.assert(
      fc.property(value, (input) => {
        const text = canonicalJson(input);
        // JSON knows no minus zero once it was written by ECMAScript's rules.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(input)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test("the order in which properties were set does not matter", () => {
    fc.assert(
      fc.property(value, fc.nat(), (input, seed) => {
        expect(canonicalJson(shuffled(input, seed))).toBe(canonicalJson(input));
      }),
      { numRuns: 2_000 },
    );
  });

  test("two values have the same text only if they are the same", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const equal = canonicalJson(a) === canonicalJson(b);
        const plain = (input: unknown) => JSON.parse(JSON.stringify(input));
        if (equal) expect(plain(a)).toEqual(plain(b));
        else expect(plain(a)).not.toEqual(plain(b));
      }),
      { numRuns: 2_000 },
    );
  });

  test("properties that objects inherit or treat specially are data like any other", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3}');
    expect(canonicalJson(hostile)).toBe('{"__proto__":{"x":1},"constructor":2,"toString":3}');
  });

  test("any string, and none with a lone surrogate", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }),
        (text) => {
          if (text.isWellFormed()) expect(JSON.parse(canonicalJson(text))).toBe(text);
          else expect(() => canonicalJson(text)).toThrow(/surrogate/);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
