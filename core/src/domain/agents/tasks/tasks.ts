import { StoaError } from "#platform/errors";
import type { Store } from "#platform/store";

/** Whose tasks: nobody sees another's, not even whether it exists. */
export interface TaskScope {
  readonly workspaceId: string;
  readonly userId: string;
  readonly agentId: string;
}

export interface StoredTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: string;
  /** The task in the protocol's own JSON. */
  readonly json: string;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
}

export interface TaskFilter {
  readonly contextId?: string;
  readonly state?: string;
  readonly updatedAfter?: number;
  readonly pageSize: number;
  /** From the page before. */
  readonly pageToken?: string;
}

export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  readonly nextPageToken: string;
  readonly total: number;
}

/** The protocol's numbers for states, as they are kept. */
const states = { submitted: "1", working: "2", completed: "3", failed: "4", canceled: "5", rejected: "7" };
const underWay = [states.submitted, states.working];
const ended = [states.completed, states.failed, states.canceled, states.rejected];

/** Longer than any turn may take: what has been under way for so long has lost its node. */
const lostAfterMs = 60 * 60_000;
const batchSize = 100;

/** The tasks of A2A clients, in the database: a restarted core still knows how each ended. */
export class Tasks {
  readonly #store: Store;
  readonly #clock: () => number;

  constructor({ store, clock }: { store: Store; clock: () => number }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A task that has ended stays as it ended: a word that comes late does not bring it back. */
  async save(scope: TaskScope, task: Omit<StoredTask, "updatedAt">): Promise<void> {
    const now = this.#clock();
    const changed = { context_id: task.contextId, state: task.state, task_json: task.json, updated_at: now };
    await this.#store.db
      .insertInto("tasks")
      .values({
        id: task.id,
        workspace_id: scope.workspaceId,
        user_id: scope.userId,
        agent_id: scope.agentId,
        ...changed,
        created_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["workspace_id", "user_id", "agent_id", "id"])
          .doUpdateSet(changed)
          .where("tasks.state", "not in", ended),
      )
      .execute();
  }

  async load(scope: TaskScope, id: string): Promise<StoredTask | undefined> {
    const row = await this.#of(scope).select(taskColumns).where("id", "=", id).executeTakeFirst();
    return row === undefined ? undefined : fromRow(row);
  }

  /** Newest first. */
  async list(scope: TaskScope, filter: TaskFilter): Promise<TaskPage> {
    let matching = this.#of(scope);
    if (filter.contextId) matching = matching.where("context_id", "=", filter.contextId);
    if (filter.state) matching = matching.where("state", "=", filter.state);
    if (filter.updatedAfter !== undefined) matching = matching.where("updated_at", ">=", filter.updatedAfter);
    const counted = await matching
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    let page = matching
      .select(taskColumns)
      .orderBy("updated_at", "desc")
      .orderBy("id", "desc")
      .limit(filter.pageSize + 1);
    if (filter.pageToken) {
      const [updatedAt, id] = readToken(filter.pageToken);
      page = page.where(({ or, and, eb }) =>
        or([eb("updated_at", "<", updatedAt), and([eb("updated_at", "=", updatedAt), eb("id", "<", id)])]),
      );
    }
    const rows = await page.execute();
    const tasks = rows.slice(0, filter.pageSize).map(fromRow);
    const last = tasks.at(-1);
    return {
      tasks,
      total: Number(counted.count),
      nextPageToken: rows.length > filter.pageSize && last ? writeToken(last) : "",
    };
  }

  /**
   * Ends what was under way when the core stopped hard; `end` writes the failure into the task's JSON. An embedded
   * database has one core, which has just started, so nothing is under way in it. A shared one may have other
   * nodes at work: there only what is older than any turn can be is ended.
   */
  async failInterrupted(end: (json: string) => string | Promise<string>): Promise<void> {
    const now = this.#clock();
    let lost = this.#store.db.selectFrom("tasks").selectAll().where("state", "in", underWay).limit(batchSize);
    if (this.#store.dialect !== "sqlite") lost = lost.where("updated_at", "<", now - lostAfterMs);
    for (;;) {
      const rows = await lost.execute();
      if (rows.length === 0) return;
      const updates = rows.map(async (row) =>
        this.#store.db
          .updateTable("tasks")
          .set({ state: states.failed, task_json: await end(row.task_json), updated_at: now })
          .where("workspace_id", "=", row.workspace_id)
          .where("user_id", "=", row.user_id)
          .where("agent_id", "=", row.agent_id)
          .where("id", "=", row.id)
          .where("state", "in", underWay)
          .compile(),
      );
      await this.#store.batch(await Promise.all(updates));
    }
  }

  #of({ workspaceId, userId, agentId }: TaskScope) {
    return this.#store.db
      .selectFrom("tasks")
      .where("workspace_id", "=", workspaceId)
      .where("user_id", "=", userId)
      .where("agent_id", "=", agentId);
  }
}

const taskColumns = ["id", "context_id", "state", "task_json", "updated_at"] as const;

function fromRow(row: {
  id: string;
  context_id: string;
  state: string;
  task_json: string;
  updated_at: number;
}): StoredTask {
  return {
    id: row.id,
    contextId: row.context_id,
    state: row.state,
    json: row.task_json,
    updatedAt: row.updated_at,
  };
}

function writeToken({ updatedAt, id }: StoredTask): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString("base64url");
}

function readToken(token: string): [number, string] {
  try {
    const [updatedAt, id] = JSON.parse(Buffer.from(token, "base64url").toString()) as unknown[];
    if (typeof updatedAt === "number" && typeof id === "string") return [updatedAt, id];
  } catch {
    // Said below: either way it is not a token of ours.
  }
  throw new StoaError("INVALID_ARGUMENT", "The page token is not one that this core gave out.");
}
