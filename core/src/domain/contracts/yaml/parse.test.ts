import { describe, expect, it, vi } from "vitest";
import { Problems, parseYaml, plain, positionOf } from "./index.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

function parse(text: string) {
  const problems = new Problems("x.yaml");
  const value = parseYaml(text, problems);
  return {
    value: value && plain(value),
    at: (path: string) => value && positionOf(value, path),
    errors: problems.errors.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`),
  };
}

describe("a YAML file", () => {
  it("is read as JSON, in the order of the file", () => {
    const { value } = parse(
      "b: 1\na: [x, 1.5, true, null, ~]\n1: one\nc:\n  d: |\n    text\n  e: {f: 0x10}\n",
    );
    expect(JSON.stringify(value)).toBe(
      '{"1":"one","b":1,"a":["x",1.5,true,null,null],"c":{"d":"text\\n","e":{"f":16}}}',
    );
  });

  it("knows where everything stands", () => {
    const { at } = parse("a:\n  - b: 1\n    c/d:\n      - 2\n");
    expect(at("/a/0/c~1d/0")).toMatchObject({ line: 4, column: 9, path: "/a/0/c~1d/0" });
    expect(at("/a/0/c~1d")).toMatchObject({ line: 3, column: 5 });
    expect(at("/a/7/x")).toMatchObject({ line: 1, column: 1 });
  });

  it("keeps __proto__ as the key it is", () => {
    const { value } = parse("__proto__: {polluted: true}\nconstructor: 1\n");
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("follows aliases, and says what they say at their own place", () => {
    const { value } = parse("a: &x {b: [1]}\nc: *x\nd: &x 2\ne: *x\n");
    expect(value).toEqual({ a: { b: [1] }, c: { b: [1] }, d: 2, e: 2 });
  });

  it.each([
    ["", "1:1 / the file is empty"],
    ["# nothing\n", "1:1 / the file is empty"],
    ["a: 1\n---\nb: 2\n", "2:1 / the file has more than one document"],
    ["a: 1\na: 2\n", '2:1 /a key "a" is given twice'],
    ["a: [1\n", /^2:1 \/ /],
    ["a:\n\t- 1\n", /^2:1 \/ /],
    ["a: *x\n", /alias/i],
    ["a: &x\n  - *x\n", "2:5 /a/0 alias *x stands inside what it names"],
    ["a: .inf\n", "1:4 /a .inf is not a value that JSON has"],
    ["a: !!js/function 'x'\n", /^1:4 \/ /],
    ["? [a]\n: 1\n", "1:3 / a key must be a string"],
  ])("%j has a problem with its place", (text, expected) => {
    const { value, errors } = parse(text);
    expect(value).toBeUndefined();
    expect(errors[0]).toMatch(expected);
  });

  it("that stands for far more than it holds is refused", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (let i = 0; i < 9; i++) {
      const [from, to] = ["abcdefghij"[i], "abcdefghij"[i + 1]];
      bomb.push(`${to}: &${to} [${new Array(10).fill(`*${from}`).join(",")}]`);
    }
    expect(parse(bomb.join("\n")).errors).toEqual([
      expect.stringMatching(/the file stands for more than 100000 values$/),
    ]);
  });

  it("that is too deep, too long or has very many keys ends in an answer", () => {
    expect(parse("[".repeat(50_000)).errors[0]).toMatch(/.+/);
    expect(parse(`${"[".repeat(200)}${"]".repeat(200)}`).errors[0]).toMatch(/nested deeper than 100 levels$/);
    expect(parse("x".repeat(250_001)).errors).toEqual(["1:1 / the file is larger than 250000 characters"]);
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n");
    expect(Object.keys(parse(keys).value as object)).toHaveLength(20_000);
  });

  it("reports no more problems than anyone would read", () => {
    const text = Array.from({ length: 1_000 }, () => "a: 1").join("\n");
    expect(parse(text).errors).toHaveLength(200);
  });
});
