import type { Store } from "#platform/store";
import { checkWorkspaceId } from "./ids.ts";

export interface Workspace {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Known ids are remembered, so that an ordinary call costs no write; the number keeps the memory bounded. */
const rememberedAtMost = 10_000;

export class Workspaces {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #known = new Set<string>();

  constructor({ store, clock }: { readonly store: Store; readonly clock: () => number }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Makes the workspace where it does not exist; any number of callers may do so at once. */
  async ensure(id: string): Promise<void> {
    if (this.#known.has(id)) return;
    await this.#store.db
      .insertInto("workspaces")
      .values({ id: checkWorkspaceId(id), created_at: this.#clock() })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
    if (this.#known.size >= rememberedAtMost) this.#known.clear();
    this.#known.add(id);
  }

  async list(): Promise<Workspace[]> {
    const rows = await this.#store.db
      .selectFrom("workspaces")
      .select(["id", "created_at"])
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ id: row.id, createdAt: row.created_at }));
  }
}
