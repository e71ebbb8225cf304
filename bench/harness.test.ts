import { describe, expect, test } from "vitest";
import { interleave, interleaveAll, median, row } from "./harness.ts";
import { line, table } from "./report.ts";

describe("a row", () => {
  const rate = { name: "x", unit: "calls/s", better: "higher" } as const;
  const time = { name: "x", unit: "ms", better: "lower" } as const;

  test("of a rate is as good as ours is higher", () => {
    expect(row({ ...rate, ours: 90, peer: 100, bar: 0.85 })).toMatchObject({ ratio: 0.9, ok: true });
    expect(row({ ...rate, ours: 80, peer: 100, bar: 0.85 })).toMatchObject({ ratio: 0.8, ok: false });
  });

  test("of a time is as good as ours is lower", () => {
    expect(row({ ...time, ours: 10, peer: 20, bar: 1 })).toMatchObject({ ratio: 2, ok: true });
    expect(row({ ...time, ours: 20, peer: 10, bar: 1 })).toMatchObject({ ratio: 0.5, ok: false });
  });

  test("without a peer is held to its bar itself", () => {
    expect(row({ ...time, ours: 10, bar: 16 })).toMatchObject({ peer: null, ratio: null, ok: true });
    expect(row({ ...time, ours: 17, bar: 16 })).toMatchObject({ ok: false });
    expect(row({ ...rate, ours: 17, bar: 16 })).toMatchObject({ ok: true });
  });

  test("without a bar is for information", () => {
    expect(row({ ...rate, ours: 1, peer: 100 })).toMatchObject({ bar: null, ok: true });
  });

  test("that could not be measured is missed", () => {
    expect(row({ ...rate, ours: Number.NaN })).toMatchObject({ ok: false });
    expect(row({ ...rate, ours: Number.NaN, peer: 1, bar: 0.5 })).toMatchObject({ ok: false });
  });
});

test("the median of an even number lies between its two middles", () => {
  expect([median([3]), median([4, 1, 3, 2]), median([9, 1, 5])]).toEqual([3, 2.5, 5]);
  expect(median([])).toBeNaN();
});

test("sides take turns, each first every other round, and warming up counts for nothing", async () => {
  const order: string[] = [];
  let round = 0;
  const side = (name: string) => async () => {
    order.push(name);
    return round++ < 2 ? 1000 : name === "ours" ? 1 : 2;
  };
  const medians = await interleave({ warmUp: 1, rounds: 3 }, { ours: side("ours"), peer: side("peer") });
  expect(order.join(" ")).toBe("ours peer peer ours ours peer peer ours");
  expect(medians).toEqual({ ours: 1, peer: 2 });
});

test("several figures of one measurement have a median each", async () => {
  let n = 0;
  const measured = await interleaveAll(
    { warmUp: 0, rounds: 3 },
    { ours: async () => ({ a: n++, b: 10 * n }), peer: async () => ({ a: 0, b: 0 }) },
  );
  expect(measured).toEqual({ ours: { a: 1, b: 20 }, peer: { a: 0, b: 0 } });
});

test("a missed bar shows in the table, and the line for programs is one line", () => {
  const rows = [
    row({ name: "unary", unit: "calls/s", better: "higher", ours: 8123.4, peer: 10_000, bar: 0.85 }),
    row({ name: "memory", unit: "MiB", better: "lower", ours: 9.5, bar: 16 }),
  ];
  expect(table(rows)).toMatch(/unary +8,123\.4 calls\/s +10,000 calls\/s +0\.81× +0\.85 +✗ missed/);
  expect(table(rows)).toMatch(/memory +9\.5 MiB +16 +✓/);
  expect(line("grpc", rows)).not.toContain("\n");
  expect(JSON.parse(line("grpc", rows))).toEqual({ bench: "grpc", rows: JSON.parse(JSON.stringify(rows)) });
});
