import type { Logger } from "#platform/log";
import type { Subscriber } from "./subscriber.ts";

/** Waits until subscribers are done, but not for ever: a handler that hangs must not keep a core up. */
export async function drained(
  subscribers: Iterable<Subscriber>,
  timeoutMs: number,
  log: Logger,
): Promise<void> {
  const all = [...subscribers];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  const done = Promise.all(all.map((subscriber) => subscriber.idle())).then(() => "done" as const);
  const outcome = await Promise.race([done, late]);
  clearTimeout(timer);
  if (outcome === "done") return;
  for (const subscriber of all) {
    const { subject, unfinished } = subscriber;
    if (unfinished > 0) log.warn({ subject, unfinished, timeoutMs }, "bus closes over unfinished messages");
    subscriber.end();
  }
}
