import { Task, TaskState } from "@a2a-js/sdk";
import type { Tasks } from "#domain/agents";
import { messageOf } from "./messages.ts";

/** Tasks that were under way when the core stopped hard will never be answered, and say so. */
export function failInterruptedTasks(
  tasks: Tasks,
  { clock, nextId }: { clock: () => number; nextId: () => string },
): Promise<void> {
  return tasks.failInterrupted((json) => {
    const task = Task.fromJSON(JSON.parse(json));
    const message = messageOf("The core stopped before this was answered. Send the message again.", {
      id: nextId(),
      taskId: task.id,
      contextId: task.contextId,
    });
    const status = {
      state: TaskState.TASK_STATE_FAILED,
      message,
      timestamp: new Date(clock()).toISOString(),
    };
    return JSON.stringify(Task.toJSON({ ...task, status, history: [...task.history, message] }));
  });
}
