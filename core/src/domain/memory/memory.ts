import { StoaError } from "#platform/errors";
import type { Store } from "#platform/store";

export interface MemoryEntry {
  readonly key: string;
  readonly content: string;
  readonly category: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MemoryDependencies {
  readonly store: Store;
  readonly clock: () => number;
}

const limits = { key: 256, category: 128, content: 16 * 1024, page: 1_000, defaultPage: 100 } as const;
/** A page travels in one message, whose limit is 4 MiB; what an entry is besides its texts is small. */
const pageBytes = 3 * 1024 * 1024;

/** What a workspace remembers: entries known by category and key, newest first. */
export class Memory {
  readonly #store: Store;
  readonly #clock: () => number;

  constructor({ store, clock }: MemoryDependencies) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * A page ends at its limit, or where the next entry would take it beyond 3 MiB; a caller goes on at the offset of
   * what it has got. Only an empty page is the last.
   */
  async list(
    workspaceId: string,
    filter: { category?: string; limit?: number; offset?: number } = {},
  ): Promise<MemoryEntry[]> {
    if (filter.category) checkSize("category", filter.category, limits.category);
    const limit =
      filter.limit === undefined || filter.limit <= 0
        ? limits.defaultPage
        : Math.min(filter.limit, limits.page);
    let query = this.#store.db
      .selectFrom("memories")
      .select(["key", "content", "category", "created_at", "updated_at"])
      .where("workspace_id", "=", workspaceId)
      .orderBy("updated_at", "desc")
      .orderBy("key")
      .orderBy("category")
      .limit(limit)
      .offset(Math.max(0, filter.offset ?? 0));
    if (filter.category) query = query.where("category", "=", filter.category);
    return upTo(pageBytes, await query.execute()).map(toEntry);
  }

  /** Creates the entry, or replaces the content of the one with this category and key. */
  async create(
    workspaceId: string,
    entry: { key: string; content: string; category: string },
  ): Promise<MemoryEntry> {
    const { key, content, category } = entry;
    if (key === "")
      throw new StoaError("INVALID_ARGUMENT", "key is empty; a memory needs a key to be found by.");
    checkSize("key", key, limits.key);
    checkSize("category", category, limits.category);
    checkSize("content", content, limits.content);
    const now = this.#clock();
    const row = await this.#store.db
      .insertInto("memories")
      .values({ workspace_id: workspaceId, category, key, content, created_at: now, updated_at: now })
      .onConflict((conflict) =>
        conflict.columns(["workspace_id", "category", "key"]).doUpdateSet({ content, updated_at: now }),
      )
      .returning(["key", "content", "category", "created_at", "updated_at"])
      .executeTakeFirstOrThrow();
    return toEntry(row);
  }

  /** Removes the key in every category: callers of the published contract name no category here. */
  async delete(workspaceId: string, key: string): Promise<void> {
    if (key === "") throw new StoaError("INVALID_ARGUMENT", "key is empty; name the memory to delete.");
    checkSize("key", key, limits.key);
    const deleted = await this.#store.db
      .deleteFrom("memories")
      .where("workspace_id", "=", workspaceId)
      .where("key", "=", key)
      .returning("key")
      .execute();
    if (deleted.length === 0) {
      throw new StoaError("NOT_FOUND", `No memory with key ${JSON.stringify(key)} in this workspace.`);
    }
  }
}

interface Row {
  readonly key: string;
  readonly content: string;
  readonly category: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The first rows that fit. One always does: an entry is far smaller than a page. */
function upTo(most: number, rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex(({ key, content, category }) => {
    for (const text of [key, content, category]) bytes += Buffer.byteLength(text);
    return bytes > most;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function toEntry(row: Row): MemoryEntry {
  return {
    key: row.key,
    content: row.content,
    category: row.category,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function checkSize(field: string, value: string, most: number): void {
  const size = Buffer.byteLength(value);
  if (size > most)
    throw new StoaError("INVALID_ARGUMENT", `${field} has ${size} bytes; at most ${most} are kept.`);
  if (value.includes("\u0000"))
    throw new StoaError("INVALID_ARGUMENT", `${field} contains a NUL character, which cannot be stored.`);
}
