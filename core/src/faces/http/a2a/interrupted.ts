import type { Tasks } from "#domain/agents";

/** Tasks that were under way when the core stopped hard will never be answered, and say so. */
export function failInterruptedTasks(
  tasks: Tasks,
  { clock, nextId }: { clock: () => number; nextId: () => string },
): Promise<void> {
  return tasks.failInterrupted(async (json) => {
    // Loaded only where there is such a task: a start need not wait for the SDK.
    const { failed } = await import("./failed-task.ts");
    return failed(json, { id: nextId(), now: clock() });
  });
}
