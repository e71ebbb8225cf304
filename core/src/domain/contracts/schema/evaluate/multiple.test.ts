import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMultiple } from "./multiple.ts";

describe("a multiple", () => {
  it.each([
    [0.3, 0.1, true],
    [0.35, 0.1, false],
    [0.0075, 0.0001, true],
    [1e308, 0.5, true],
    [1e308, 0.123456789, false],
    [-4.2, 0.7, true],
    [0, 5, true],
    [7, 2, false],
    [2 ** 60, 3, false],
    [5e-324, 1, false],
    [1, 5e-324, true],
  ])("%d of %d: %s", (value, of, expected) => {
    expect(isMultiple(value, of)).toBe(expected);
  });

  it("is what decimal arithmetic says", () => {
    const decimals = fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(decimals, fc.integer({ min: -999, max: 999 }), ([digits, places], times) => {
        const text = (amount: number) => Number(`${amount}e-${places}`);
        expect(isMultiple(text(digits * times), text(digits))).toBe(true);
        if (digits > 1) expect(isMultiple(text(digits * times + 1), text(digits))).toBe(false);
      }),
      { seed: 20_244 },
    );
  });
});
