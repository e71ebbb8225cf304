import type { Environment } from "#platform/config";

/** The outside world of one run of the command, so that a test can be another one. */
export interface Io {
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

export function processIo(): Io {
  return {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };
}
