import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT } from "@opentelemetry/api";

const storage = new AsyncLocalStorage<Context>();

// Carries the active span through awaits, timers and callbacks, so that no function has to hand it on.
const manager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, fn, thisArg, ...args) => storage.run(active, () => fn.apply(thisArg, args)),
  bind: (active, target) => {
    if (typeof target !== "function") return target;
    const bound = (...args: unknown[]) => storage.run(active, () => target(...args));
    return bound as typeof target;
  },
  enable: () => manager,
  disable: () => manager,
};

/** Once per process, by the first that traces; a manager that somebody set before stays. */
export function enableContexts(): void {
  context.setGlobalContextManager(manager);
}
