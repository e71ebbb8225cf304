import { Readable } from "node:stream";

/**
 * A stream that takes from its source at the source's pace, not the reader's. When the reader goes away, the
 * source is read to its end all the same, or let go.
 */
export function readAhead(source: AsyncIterable<string>, { toTheEnd }: { toTheEnd: boolean }): Readable {
  const stream = new Readable({ read() {} });
  // What failed after the reader left has nobody to be told to.
  pump().catch((thrown: unknown) => stream.destroy(thrown as Error));
  return stream;

  async function pump(): Promise<void> {
    for await (const text of source) {
      if (!stream.destroyed) stream.push(text);
      else if (!toTheEnd) return;
    }
    if (!stream.destroyed) stream.push(null);
  }
}
