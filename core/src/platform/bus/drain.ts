import type { Logger } from "#platform/log";
import type { Subscriber } from "./subscriber.ts";

/** Waits for a promise that may never settle, for so long; whether it failed does not matter here. */
export async function within(timeoutMs: number, promise: Promise<unknown>): Promise<"done" | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  const settled = () => "done" as const;
  try {
    return await Promise.race([promise.then(settled, settled), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until subscribers are done, but not for ever: a handler that hangs must not keep a core up. */
export async function drained(
  subscribers: Iterable<Subscriber>,
  timeoutMs: number,
  log: Logger,
): Promise<void> {
  const all = [...subscribers];
  const outcome = await within(timeoutMs, Promise.all(all.map((subscriber) => subscriber.idle())));
  if (outcome === "done") return;
  for (const subscriber of all) {
    const { subject, unfinished } = subscriber;
    if (unfinished > 0) log.warn({ subject, unfinished, timeoutMs }, "bus closes over unfinished messages");
    subscriber.end();
  }
}
