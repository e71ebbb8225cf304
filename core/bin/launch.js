import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Plain JavaScript that any Node from 20 on understands: it runs before we know which Node this is.
const neededMajor = 24;
const signals = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]);

/**
 * Runs a command on the Node it needs: this one, or the one that the npm package `node` brought.
 * @param {string} script the file: URL of the command that was started
 * @param {() => Promise<number>} command what to run; the number is its exit code
 */
export async function launch(script, command) {
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
    await enableCompileCache();
    // A command may have set a code of its own on the way and gone on.
    process.exitCode = (await command()) || process.exitCode;
    return;
  }
  const file = fileURLToPath(script);
  const node = findNode(dirname(file));
  if (node) runOn(node, file);
  else {
    console.error(
      `error: Stoa runs on Node ${neededMajor}; this is ${process.version}, and the npm package \`node\` is not installed.\n` +
        `hint: run \`npm ci\` in the project's folder, or install Node ${neededMajor}.`,
    );
    process.exitCode = 1;
  }
}

/** Compiled code is kept between runs: most of what a short command does otherwise is compiling itself. */
async function enableCompileCache() {
  if (process.env.NODE_COMPILE_CACHE) return;
  const module = await import("node:module");
  try {
    const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
    module.enableCompileCache(join(base, "stoa", "compile-cache"));
  } catch {
    // A user without a home folder, as in some containers: everything works, a little later.
  }
}

/** @param {string} start */
function findNode(start) {
  const name = process.platform === "win32" ? "node.exe" : "node";
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", "node", "bin", name);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * @param {string} node
 * @param {string} file
 */
function runOn(node, file) {
  const child = spawn(node, [...process.execArgv, file, ...process.argv.slice(2)], { stdio: "inherit" });
  // Both get a Ctrl-C of the terminal, and only this one gets a `kill`: so everything is passed on, and
  // the command takes two interrupts within a moment for one.
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on("error", (error) => {
    console.error(`error: ${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const name of signals) process.off(name, forward);
    // Ends the way the command ended, so that a shell sees the same.
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}
