import { Task, type TaskState } from "@a2a-js/sdk";
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import type { ServerCallContext, TaskStore } from "@a2a-js/sdk/server";
import type { TaskScope, Tasks } from "#domain/agents";
import { isStoaError, StoaError } from "#platform/errors";
import { callIn } from "./call-context.ts";

const largestPage = 100;
const defaultPage = 50;

/** The SDK's task store on our database, each caller seeing their own tasks of the agent they call. */
export function taskStoreOn(tasks: Tasks): TaskStore {
  return {
    save: (task, context) =>
      told(
        tasks.save(scopeOf(context), {
          id: task.id,
          contextId: task.contextId,
          state: String(task.status?.state ?? 0),
          json: JSON.stringify(Task.toJSON(task)),
        }),
      ),
    async load(id, context) {
      const stored = await told(tasks.load(scopeOf(context), id));
      return stored === undefined ? undefined : Task.fromJSON(JSON.parse(stored.json));
    },
    async list(params, context) {
      const pageSize = Math.min(Math.max(params.pageSize ?? defaultPage, 1), largestPage);
      const after =
        params.statusTimestampAfter === undefined ? undefined : Date.parse(params.statusTimestampAfter);
      const page = await told(
        tasks.list(scopeOf(context), {
          pageSize,
          pageToken: params.pageToken,
          contextId: params.contextId,
          ...((params.status as TaskState) > 0 ? { state: String(params.status) } : {}),
          ...(after === undefined || Number.isNaN(after) ? {} : { updatedAfter: after }),
        }),
      );
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

function scopeOf(context: ServerCallContext): TaskScope {
  const { principal, agentId } = callIn(context);
  return { workspaceId: principal.workspaceId, userId: principal.userId, agentId };
}

/** The SDK tells its caller whatever is thrown: a database's own words must not get that far. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (isStoaError(thrown, "INVALID_ARGUMENT")) throw new RequestMalformedError(thrown.message);
    throw StoaError.from(thrown);
  }
}
