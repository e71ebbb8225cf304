import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatKey, makeKey, parseKey } from "./key-format.ts";

test("a key says what it is, and comes apart as it was put together", () => {
  const { key, id, secret } = makeKey(randomBytes);
  expect(key).toMatch(/^stoa_[0-9a-z]{10}_[0-9a-z]{36}$/);
  expect(parseKey(key)).toEqual({ id, secret });
  expect(formatKey({ id, secret })).toBe(key);
});

test("no two are alike", () => {
  expect(new Set(Array.from({ length: 1000 }, () => makeKey(randomBytes).key)).size).toBe(1000);
});

test("a key that was cut, mistyped or padded is not one", () => {
  const { key } = makeKey(() => new Uint8Array(32).fill(7));
  for (let length = 0; length < key.length; length++) expect(parseKey(key.slice(0, length))).toBeUndefined();
  for (const other of [`${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()])
    expect(parseKey(other)).toBeUndefined();
});

test("one wrong letter is noticed", () => {
  const { key } = makeKey((size) => new Uint8Array(size).map((_, index) => index * 5));
  const wrong = [...key.slice(5)].flatMap((letter, index) => {
    if (letter === "_") return [];
    const changed = letter === "7" ? "8" : "7";
    return [key.slice(0, 5 + index) + changed + key.slice(6 + index)];
  });
  expect(wrong.length).toBe(46);
  expect(wrong.filter((one) => parseKey(one))).toEqual([]);
});

test("anything else is not one either", () => {
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => parseKey(text) === undefined));
});
