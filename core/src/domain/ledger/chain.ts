import { type CompiledQuery, type Kysely, sql } from "kysely";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";
import type { Database, Store } from "#platform/store";
import {
  type Checkpoint,
  checkpointHash,
  checkpointProblem,
  fromRow,
  signCheckpoint,
  toRow,
} from "./checkpoint.ts";
import type { LedgerKeys } from "./keys.ts";
import { Edge, type Tile } from "./merkle/index.ts";
import type { CheckpointFiles, CheckpointSink } from "./outside.ts";
import { saveTiles, tileSource } from "./tree-store.ts";

export interface ChainOptions {
  readonly store: Store;
  readonly clock: () => number;
  readonly keys: LedgerKeys;
  readonly outside: CheckpointFiles;
  readonly sinks: readonly CheckpointSink[];
  readonly log: Logger;
  readonly batchSize: number;
}

interface Head {
  readonly edge: Edge;
  readonly checkpoint: Checkpoint | undefined;
}

interface Extension {
  readonly head: Head & { readonly checkpoint: Checkpoint };
  readonly count: number;
  readonly queries: CompiledQuery[];
}

/** The chains of all workspaces: puts waiting records in their places, batch by batch, and signs what came of it. */
export class Chain {
  readonly #options: ChainOptions;
  /** What the last batch of a workspace ended with; only ever a shortcut for reading it again. */
  readonly #heads = new Map<string, Head>();

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  /** Gives the waiting records that it sees, up to a batch of them, their places. Returns how many. */
  async extend(workspaceId: string): Promise<number> {
    const { store } = this.#options;
    // PostgreSQL: many nodes can do this, one at a time does. SQLite: one process, and its callers take turns. In
    // both, the checkpoint that two batches built on lets only one of them through.
    const extension =
      store.dialect === "postgres"
        ? await store.transaction(async (trx) => {
            await sql`select pg_advisory_xact_lock(hashtextextended(${`stoa ledger ${workspaceId}`}, 0))`.execute(
              trx,
            );
            const prepared = await this.#prepare(trx, workspaceId);
            for (const query of prepared?.queries ?? []) await trx.executeQuery(query);
            return prepared;
          })
        : await this.#prepare(store.db, workspaceId);
    if (extension === undefined) return 0;
    if (store.dialect === "sqlite") await store.batch(extension.queries);
    // Until the checkpoint is outside as well, the next batch has to look for what the files lack.
    this.#heads.delete(workspaceId);
    await this.#publish(extension.head.checkpoint);
    this.#remember(workspaceId, extension.head);
    return extension.count;
  }

  async #prepare(db: Kysely<Database>, workspaceId: string): Promise<Extension | undefined> {
    const { store, clock, keys, batchSize } = this.#options;
    const waiting = db
      .selectFrom("ledger_records")
      .select(["id", "leaf"])
      .where("workspace_id", "=", workspaceId)
      .where("seq", "is", null)
      .orderBy("ts")
      .orderBy("id");
    if ((await waiting.limit(1).executeTakeFirst()) === undefined) return undefined;
    // The head before the records: records that another batch has placed since then come with a head that has
    // moved on, and then this batch is refused. The other way round they would be placed twice.
    const before = await this.#readHead(db, workspaceId);
    const batch = await waiting.limit(batchSize).execute();
    if (batch.length === 0) return undefined;
    const edge = before.edge.clone();
    const tiles: Tile[] = [];
    for (const { leaf } of batch) edge.append(leaf, tiles);
    tiles.push(...edge.openTiles());
    const checkpoint = signCheckpoint(
      {
        workspace: workspaceId,
        size: edge.size,
        root: edge.root,
        ts: clock(),
        previous: before.checkpoint ? checkpointHash(before.checkpoint) : null,
      },
      keys,
    );
    const ids = batch.map(({ id }) => id);
    return {
      head: { edge, checkpoint },
      count: ids.length,
      queries: [
        // First, so that of two batches on one checkpoint the second stops here, before it touches anything.
        db.insertInto("ledger_checkpoints").values(toRow(checkpoint, before.edge.size)).compile(),
        placeRecords(db, store.dialect, ids, before.edge.size),
        ...saveTiles(db, workspaceId, tiles),
      ],
    };
  }

  async #readHead(db: Kysely<Database>, workspaceId: string): Promise<Head> {
    const known = this.#heads.get(workspaceId);
    if (known && known.checkpoint?.signature === (await newest(db, workspaceId))?.signature) return known;
    // Outside first: whatever is there was in the database before, so the database may be ahead and never behind.
    const last = await this.#options.outside.last(workspaceId);
    const checkpoint = await newest(db, workspaceId);
    const head = { checkpoint, edge: await Edge.load(tileSource(db, workspaceId), checkpoint?.size ?? 0) };
    await this.#check(db, workspaceId, head, [known?.checkpoint, last]);
    await this.#catchUp(db, workspaceId, last);
    this.#remember(workspaceId, head);
    return head;
  }

  /** What is not known from the last batch is not built upon before it has proven itself. */
  async #check(
    db: Kysely<Database>,
    workspaceId: string,
    { edge, checkpoint }: Head,
    earlier: readonly (Checkpoint | undefined)[],
  ): Promise<void> {
    const { keys } = this.#options;
    if (checkpoint) {
      const problem = checkpointProblem(checkpoint, keys.trusted);
      if (problem === "key_unknown") {
        throw broken(
          workspaceId,
          `the checkpoint at ${checkpoint.size} is signed with the unknown key ${checkpoint.key}. Nodes that share a ` +
            "database use the same ledger.key, or list each other's public keys in ledger.trusted",
        );
      }
      if (problem)
        throw broken(workspaceId, `the signature of the checkpoint at ${checkpoint.size} is wrong`);
      if (edge.root !== checkpoint.root) {
        throw broken(workspaceId, `the tree is not the one that was signed at ${checkpoint.size}`);
      }
    }
    for (const signed of earlier) {
      if (signed === undefined) continue;
      if (signed.size > edge.size) {
        throw broken(
          workspaceId,
          `${signed.size} records were signed, and the database knows of ${edge.size}: its end is cut off`,
        );
      }
      if ((await Edge.load(tileSource(db, workspaceId), signed.size)).root !== signed.root) {
        throw broken(workspaceId, `the records up to ${signed.size} are not those that were signed`);
      }
    }
  }

  /** A crash between commit and file, or another node's work, leaves checkpoints that the files do not have yet. */
  async #catchUp(db: Kysely<Database>, workspaceId: string, last: Checkpoint | undefined): Promise<void> {
    let previous = last;
    for (;;) {
      const rows = await db
        .selectFrom("ledger_checkpoints")
        .selectAll()
        .where("workspace_id", "=", workspaceId)
        .where("size", ">", previous?.size ?? 0)
        .orderBy("size")
        .limit(500)
        .execute();
      if (rows.length === 0) return;
      for (const checkpoint of rows.map(fromRow)) {
        const follows = checkpoint.previous === (previous ? checkpointHash(previous) : null);
        if (!follows || checkpointProblem(checkpoint, this.#options.keys.trusted)) {
          throw broken(
            workspaceId,
            `the checkpoint at ${checkpoint.size} does not continue the one before it`,
          );
        }
        await this.#publish(checkpoint);
        previous = checkpoint;
      }
    }
  }

  async #publish(checkpoint: Checkpoint): Promise<void> {
    const { outside, sinks, log } = this.#options;
    await outside.append(checkpoint);
    for (const sink of sinks) {
      try {
        await sink.append(checkpoint);
      } catch (error) {
        log.error(
          { err: error, sink: sink.name, workspace: checkpoint.workspace },
          "a checkpoint did not reach its sink",
        );
      }
    }
  }

  #remember(workspaceId: string, head: Head): void {
    const most = 1_000;
    this.#heads.delete(workspaceId);
    this.#heads.set(workspaceId, head);
    for (const oldest of this.#heads.keys()) {
      if (this.#heads.size <= most) break;
      this.#heads.delete(oldest);
    }
  }
}

async function newest(db: Kysely<Database>, workspaceId: string): Promise<Checkpoint | undefined> {
  const row = await db
    .selectFrom("ledger_checkpoints")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .orderBy("size", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** Gives the records their places from `first` on, in this order, in one statement whatever their number. */
function placeRecords(
  db: Kysely<Database>,
  dialect: Store["dialect"],
  ids: readonly string[],
  first: number,
): CompiledQuery {
  const list = JSON.stringify(ids);
  const statement =
    dialect === "postgres"
      ? sql`update ledger_records set seq = ${first}::bigint + placed.n - 1
            from jsonb_array_elements_text(${list}::jsonb) with ordinality as placed(id, n)
            where ledger_records.id = placed.id and ledger_records.seq is null`
      : sql`update ledger_records set seq = ${first} + placed.key
            from json_each(${list}) as placed
            where ledger_records.id = placed.value and ledger_records.seq is null`;
  return statement.compile(db);
}

function broken(workspaceId: string, problem: string): StoaError {
  return new StoaError(
    "LEDGER_BROKEN",
    `The ledger of workspace ${workspaceId} is not continued: ${problem}. Run \`stoa audit verify\` for the whole picture.`,
    { details: { workspaceId } },
  );
}
