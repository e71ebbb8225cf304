import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";
import type { Logger } from "#platform/log";

const longest = 500;
const logs = new AsyncLocalStorage<Logger>();
let installed = false;

/**
 * The A2A SDK speaks to the console and cannot be told otherwise, in words that a client chose. What it says
 * while `work` goes on becomes a line of our log; everybody else's console is left as it is.
 */
export function consoleIntoLog<T>(log: Logger, work: () => T): T {
  if (!installed) install();
  return logs.run(log, work);
}

function install(): void {
  installed = true;
  for (const level of ["info", "warn", "error"] as const) {
    const original = console[level];
    console[level] = (...words: unknown[]) => {
      const log = logs.getStore();
      if (log === undefined) return original.apply(console, words);
      // Its warnings are about what clients sent, its errors about calls that have been answered with them.
      log[level === "error" ? "warn" : "debug"](format(...words).slice(0, longest));
    };
  }
}
