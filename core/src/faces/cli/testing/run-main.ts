import { PassThrough, Readable, Writable } from "node:stream";
import type { Io } from "../io.ts";
import { main } from "../main.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Make both streams look like a terminal. */
  readonly terminal?: boolean;
  /** What is typed, by somebody who sees what was written so far. Without it nothing comes. */
  readonly typed?: (written: () => string) => AsyncIterable<string>;
}

/** One command line in this process, with an outside world of its own. */
export async function runMain(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const stdout = collector(options.terminal === true);
  const stderr = collector(options.terminal === true);
  const written = () => stdout.text() + stderr.text();
  const keys = options.typed === undefined ? new PassThrough() : Readable.from(options.typed(written));
  const stdin = Object.assign(keys, { isTTY: options.typed !== undefined }) as unknown as Io["stdin"];
  const io: Io = { cwd: options.cwd, env: options.env ?? {}, stdin, stdout, stderr };
  const code = await main(argv, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(isTTY: boolean): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { isTTY, text: () => Buffer.concat(chunks).toString() });
}
