import { writeSync } from "node:fs";

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Prints a line in one system call before it returns. A pipe that is full is waited for. */
export function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) throw thrown;
      Atomics.wait(nobody, 0, 0, 1);
    }
  }
}
