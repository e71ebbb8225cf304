import { Task, TaskState } from "@a2a-js/sdk";
import { messageOf } from "./messages.ts";

/** A stored task as it is after the core stopped in the middle of it. `id` is for the message that says so. */
export function failed(json: string, { id, now }: { id: string; now: number }): string {
  const task = Task.fromJSON(JSON.parse(json));
  const message = messageOf("The core stopped before this was answered. Send the message again.", {
    id,
    taskId: task.id,
    contextId: task.contextId,
  });
  const status = {
    state: TaskState.TASK_STATE_FAILED,
    message,
    timestamp: new Date(now).toISOString(),
  };
  return JSON.stringify(Task.toJSON({ ...task, status, history: [...task.history, message] }));
}
