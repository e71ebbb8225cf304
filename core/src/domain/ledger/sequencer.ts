import { isStoaError, StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Store } from "#platform/store";
import type { Chain } from "./chain.ts";

export interface SequencerOptions {
  readonly store: Store;
  readonly chain: Chain;
  readonly log: Logger;
  /** How long a record may wait for others to share its batch. */
  readonly delayMs: number;
  /** How often to look for records that nobody announced: of late commits, of crashed nodes. */
  readonly pollMs: number;
}

/** Batches of others that may come first before something else must be wrong. */
const patience = 1_000;

/** Decides when the chain is extended: soon after a record, now and then, and when asked to. */
export class Sequencer {
  readonly #options: SequencerOptions;
  readonly #announced = new Set<string>();
  readonly #reported = new Map<string, string>();
  #running: Promise<unknown> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SequencerOptions) {
    this.#options = options;
  }

  start(): void {
    const { pollMs, log } = this.#options;
    const tick = () => {
      if (this.#closed) return;
      this.sequenceAll()
        .catch((error) => log.error({ err: error }, "the ledger's waiting records could not be looked up"))
        .finally(() => {
          if (!this.#closed) this.#poll = setTimeout(tick, pollMs).unref();
        });
    };
    tick();
  }

  /** A record of this workspace is about to be committed. */
  announce(workspaceId: string): void {
    this.#announced.add(workspaceId);
    if (this.#soon !== undefined || this.#closed) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      const workspaces = [...this.#announced];
      this.#announced.clear();
      void this.#inTurn(() => this.#each(workspaces));
    }, this.#options.delayMs).unref();
  }

  /** Gives every committed record of the workspace its place; says why where it cannot. */
  async sequence(workspaceId: string): Promise<void> {
    await this.#inTurn(() => this.#drain(workspaceId));
  }

  /** The same for all workspaces. What stops one of them is logged and stops no other. */
  async sequenceAll(): Promise<void> {
    await this.#inTurn(async () => {
      const rows = await this.#options.store.db
        .selectFrom("ledger_records")
        .select("workspace_id")
        .distinct()
        .where("seq", "is", null)
        .execute();
      await this.#each(rows.map((row) => row.workspace_id));
    });
  }

  /** Sequences what is waiting, and stops. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#soon);
    clearTimeout(this.#poll);
    await this.sequenceAll();
  }

  /** One at a time in this process: two at once would only refuse each other's batches. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#running.then(work);
    this.#running = turn.catch(() => {});
    return turn;
  }

  async #each(workspaces: readonly string[]): Promise<void> {
    for (const workspaceId of workspaces) {
      try {
        await this.#drain(workspaceId);
        this.#reported.delete(workspaceId);
      } catch (error) {
        this.#report(workspaceId, error);
      }
    }
  }

  async #drain(workspaceId: string): Promise<void> {
    const { chain } = this.#options;
    for (let refused = 0; ; ) {
      try {
        if ((await chain.extend(workspaceId)) === 0) return;
        refused = 0;
      } catch (error) {
        // Another one was faster: what it left is tried again.
        const overtaken =
          isStoaError(error, "ALREADY_EXISTS") && error.details.table === "ledger_checkpoints";
        refused++;
        if ((overtaken || isStoaError(error, "STORE_CONFLICT")) && refused < patience) continue;
        if (!isStoaError(error, "ALREADY_EXISTS")) throw error;
        throw new StoaError(
          "LEDGER_BROKEN",
          `The ledger of workspace ${workspaceId} cannot be continued: the next places are taken by records that no checkpoint covers.`,
          { details: { workspaceId }, cause: error },
        );
      }
    }
  }

  /** A problem that stays is said once, not at every look. */
  #report(workspaceId: string, error: unknown): void {
    const text = String(error);
    if (this.#reported.get(workspaceId) === text) return;
    this.#reported.set(workspaceId, text);
    this.#options.log.error({ err: error, workspace: workspaceId }, "the ledger could not be continued");
  }
}
