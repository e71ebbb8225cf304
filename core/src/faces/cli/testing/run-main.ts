import { PassThrough, Writable } from "node:stream";
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
}

/** One command line in this process, with an outside world of its own. */
export async function runMain(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const stdout = collector(options.terminal === true);
  const stderr = collector(options.terminal === true);
  const stdin = Object.assign(new PassThrough(), { isTTY: false }) as unknown as Io["stdin"];
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
