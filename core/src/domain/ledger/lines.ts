import { StoaError } from "#platform/errors";

export interface Line {
  readonly text: string;
  /** Whether its end was there; the last line of a file that was cut off lacks it. */
  readonly whole: boolean;
}

/** Longer than any record: a file without line ends must not end up in memory whole. */
const longest = 16 * 1024 * 1024;

/**
 * The lines of a file, ended by a line feed and by nothing else: node:readline also ends them at U+2028 and U+2029,
 * which JSON allows inside of strings.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let rest: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer): string => {
    const text = Buffer.concat([...rest, last]).toString("utf8");
    rest = [];
    length = 0;
    return text;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      yield { text: take(chunk.subarray(from, end)), whole: true };
      from = end + 1;
    }
    const left = chunk.subarray(from);
    length += left.length;
    if (length > longest) throw new StoaError("TOO_LARGE", `A line is longer than ${longest} bytes.`);
    rest.push(left);
  }
  if (length > 0) yield { text: take(Buffer.alloc(0)), whole: false };
}
