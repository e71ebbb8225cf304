import { once } from "node:events";
import { expect, test } from "vitest";
import { readAhead } from "./read-ahead.ts";

function counting(items: number) {
  const done = Promise.withResolvers<number>();
  async function* source() {
    let given = 0;
    try {
      for (; given < items; given++) yield "x".repeat(64 * 1024);
    } finally {
      done.resolve(given);
    }
  }
  return { source: source(), done: done.promise };
}

test("a source is read to its end though nobody reads the stream", async () => {
  const { source, done } = counting(100);
  readAhead(source, { toTheEnd: true });
  expect(await done).toBe(100);
});

test("when the reader goes away the source is read to its end, or let go", async () => {
  for (const [toTheEnd, given] of [
    [true, 100],
    [false, 0],
  ] as const) {
    const { source, done } = counting(100);
    const stream = readAhead(source, { toTheEnd });
    stream.destroy();
    expect(await done).toBe(given);
  }
});

test("a source that breaks breaks the stream", async () => {
  async function* broken() {
    yield "a";
    throw new Error("broken");
  }
  const stream = readAhead(broken(), { toTheEnd: true });
  stream.resume();
  await expect(once(stream, "end")).rejects.toThrow("broken");
});
