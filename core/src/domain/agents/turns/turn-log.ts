import { sql } from "kysely";
import type { Store } from "#platform/store";
import type { HistoryEntry, StepLog, TurnDone, TurnRequest } from "./turn.ts";

const historyLength = 50;
/** An agent elsewhere gets the history in one message, together with the question: it must leave room for it. */
const historyBytes = 1024 * 1024;

/** Sessions, turns and their steps in the database. */
export class TurnLog {
  readonly #store: Store;
  readonly #clock: () => number;

  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Turns that were under way when the core stopped hard did not finish, and say so. On a database that other cores
   * share, theirs may be under way still: only those that no turn's deadline leaves alive are marked there.
   */
  async markInterrupted(longestTurnMs: number): Promise<void> {
    const now = this.#clock();
    const before = this.#store.dialect === "sqlite" ? now + 1 : now - longestTurnMs;
    await this.#store.db
      .updateTable("turns")
      .set({ status: "interrupted", finished_at: now })
      .where("status", "=", "running")
      .where("created_at", "<", before)
      .execute();
  }

  async lastAgent(request: TurnRequest): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom("sessions")
      .select("last_agent_id")
      .where("workspace_id", "=", request.workspaceId)
      .where("user_id", "=", request.userId)
      .where("id", "=", request.sessionId)
      .executeTakeFirst();
    return row?.last_agent_id ?? undefined;
  }

  /** What was said before, oldest first: the newest turns that fit, without a gap. */
  async history(request: TurnRequest): Promise<HistoryEntry[]> {
    const answered = this.#store.db
      .selectFrom("turns")
      .where("workspace_id", "=", request.workspaceId)
      .where("user_id", "=", request.userId)
      .where("session_id", "=", request.sessionId)
      .where("status", "!=", "running")
      .where("answer", "is not", null);
    const sizes = await answered
      .select(["seq", sql<number>`octet_length(message) + octet_length(answer)`.as("bytes")])
      .orderBy("seq", "desc")
      .limit(historyLength)
      .execute();
    let bytes = 0;
    let from: number | undefined;
    for (const turn of sizes) {
      bytes += turn.bytes;
      if (bytes > historyBytes) break;
      from = turn.seq;
    }
    if (from === undefined) return [];
    const rows = await answered
      .select(["message", "answer"])
      .where("seq", ">=", from)
      .orderBy("seq")
      .execute();
    return rows.map((row) => ({ message: row.message, answer: row.answer ?? "" }));
  }

  /** The turn is in the log before anything is done for it. */
  async open(id: string, agentId: string, request: TurnRequest): Promise<StepLog> {
    const now = this.#clock();
    const { workspaceId, userId, sessionId, message } = request;
    await this.#store.transaction(async (trx) => {
      await trx
        .insertInto("sessions")
        .values({
          workspace_id: workspaceId,
          user_id: userId,
          id: sessionId,
          last_agent_id: null,
          created_at: now,
          updated_at: now,
        })
        .onConflict((conflict) =>
          conflict.columns(["workspace_id", "user_id", "id"]).doUpdateSet({ updated_at: now }),
        )
        .execute();
      const last = await trx
        .selectFrom("turns")
        .select(({ fn }) => fn.max("seq").as("seq"))
        .where("workspace_id", "=", workspaceId)
        .where("user_id", "=", userId)
        .where("session_id", "=", sessionId)
        .executeTakeFirst();
      await trx
        .insertInto("turns")
        .values({
          id,
          workspace_id: workspaceId,
          user_id: userId,
          session_id: sessionId,
          seq: Number(last?.seq ?? 0) + 1,
          agent_id: agentId,
          status: "running",
          message,
          answer: null,
          model: null,
          created_at: now,
          finished_at: null,
        })
        .execute();
    });
    let seq = 0;
    const row = (kind: string, data: unknown) => ({
      turn_id: id,
      seq: ++seq,
      kind,
      data_json: JSON.stringify(data ?? null),
      created_at: this.#clock(),
    });
    const insert = (kind: string, data: unknown) =>
      this.#store.db.insertInto("turn_steps").values(row(kind, data));
    return {
      append: async (kind, data) => {
        await insert(kind, data).execute();
      },
      statement: (kind, data) => insert(kind, data).compile(),
    };
  }

  async finish(agentId: string, request: TurnRequest, done: TurnDone): Promise<void> {
    const now = this.#clock();
    await this.#store.transaction(async (trx) => {
      await trx
        .updateTable("turns")
        .set({
          status: done.state,
          answer: done.turns.length > 0 ? storable(done.turns.map((turn) => turn.text).join("\n")) : null,
          model: done.model,
          finished_at: now,
        })
        .where("id", "=", done.turnId)
        .execute();
      if (done.state === "failed") return;
      await trx
        .updateTable("sessions")
        .set({ last_agent_id: agentId, updated_at: now })
        .where("workspace_id", "=", request.workspaceId)
        .where("user_id", "=", request.userId)
        .where("id", "=", request.sessionId)
        .execute();
    });
  }
}

/** No database keeps a NUL, and an answer that has one is still worth keeping. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "\uFFFD");
}
