import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("lines end at line feeds and nowhere else, wherever the chunks do", async () => {
  const piece = fc.constantFrom("\n", "\r", "\u2028", "\u2029", "\u0085", "ü", "😀", "a");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: piece }), fc.integer({ min: 1, max: 5 }), async (text, size) => {
      const lines = await Array.fromAsync(linesOf(inPieces(text, size)));
      expect(lines.map((line) => line.text + (line.whole ? "\n" : "")).join("")).toBe(text);
      for (const line of lines) expect(line.text).not.toContain("\n");
      expect(lines.slice(0, -1).every((line) => line.whole)).toBe(true);
    }),
  );
});

test("a line without end is refused before it fills the memory", async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1024 * 1024, "x");
  }
  await expect(Array.fromAsync(linesOf(endless()))).rejects.toMatchObject({ code: "TOO_LARGE" });
});
