import { Task, type TaskState } from "@a2a-js/sdk";
import type { ServerCallContext, TaskStore } from "@a2a-js/sdk/server";
import type { TaskScope, Tasks } from "#domain/agents";
import { principalIn } from "./call-context.ts";

const largestPage = 100;
const defaultPage = 50;

/** The SDK's task store on our database, each caller seeing their own tasks of this agent. */
export function taskStoreFor(agentId: string, tasks: Tasks): TaskStore {
  const scopeOf = (context: ServerCallContext): TaskScope => {
    const { workspaceId, userId } = principalIn(context);
    return { workspaceId, userId, agentId };
  };
  return {
    save: (task, context) =>
      tasks.save(scopeOf(context), {
        id: task.id,
        contextId: task.contextId,
        state: String(task.status?.state ?? 0),
        json: JSON.stringify(Task.toJSON(task)),
      }),
    async load(id, context) {
      const stored = await tasks.load(scopeOf(context), id);
      return stored === undefined ? undefined : Task.fromJSON(JSON.parse(stored.json));
    },
    async list(params, context) {
      const pageSize = Math.min(Math.max(params.pageSize ?? defaultPage, 1), largestPage);
      const after =
        params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter);
      const page = await tasks.list(scopeOf(context), {
        pageSize,
        pageToken: params.pageToken,
        contextId: params.contextId,
        ...((params.status as TaskState) > 0 ? { state: String(params.status) } : {}),
        ...(after === undefined || Number.isNaN(after) ? {} : { updatedAfter: after }),
      });
      const listed = page.tasks.map((stored) => Task.fromJSON(JSON.parse(stored.json)));
      return {
        tasks: params.includeArtifacts ? listed : listed.map((task) => ({ ...task, artifacts: [] })),
        nextPageToken: page.nextPageToken,
        pageSize,
        totalSize: page.total,
      };
    },
  };
}
