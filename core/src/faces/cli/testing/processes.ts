import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const bin = (name: "stoa" | "bindu") =>
  fileURLToPath(new URL(`../../../../bin/${name}.js`, import.meta.url));

const compileCache = join(tmpdir(), `stoa-test-compile-cache-${userInfo().username}`);

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in a process of its own. */
export class Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  stdout = "";
  stderr = "";
  readonly #lines: AsyncIterator<string>;

  constructor(node: string, args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
    this.child = spawn(node, args, {
      cwd: options.cwd,
      // Nothing of the machine's own settings; compiled code is shared, or each process would compile all of it.
      env: { PATH: process.env.PATH, HOME: options.cwd, NODE_COMPILE_CACHE: compileCache, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.child;
    if (!stdout || !stderr) throw new TypeError("the child has no pipes");
    stdout.on("data", (chunk) => {
      this.stdout += chunk;
    });
    stderr.on("data", (chunk) => {
      this.stderr += chunk;
    });
    this.#lines = createInterface(stdout)[Symbol.asyncIterator]();
    this.finished = once(this.child, "close").then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
  }

  /** The next line of stdout; fails with what the process said where it ended instead. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (!done) return value;
    const { code, stderr } = await this.finished;
    throw new Error(`The process ended with ${code} and said: ${stderr}`);
  }
}
