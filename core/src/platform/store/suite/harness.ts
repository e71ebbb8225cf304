import type { Kysely, Transaction } from "kysely";
import { createLogger } from "#platform/log";
import {
  type Database,
  type Migration,
  migrations,
  openStore,
  type Store,
  type StoreLocation,
  type StoreOptions,
} from "../index.ts";

export interface ThingsTable {
  id: string;
  n: number | bigint | null;
  t: string | null;
  b: Uint8Array | null;
}
interface Things {
  things: ThingsTable;
  parts: { id: string; thing_id: string };
}

export const log = createLogger({ level: "silent" });

/** Tables for the tests, made the way that every table is made. */
export const things: Migration = {
  name: "9000_things",
  async up(db, { text, integer, bytes }) {
    await db.schema
      .createTable("things")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("n", integer)
      .addColumn("t", text)
      .addColumn("b", bytes)
      .execute();
    await db.schema
      .createTable("parts")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("thing_id", text, (c) => c.notNull().references("things.id"))
      .execute();
  },
};

type Handle = Store | Transaction<Database>;

/** The store as the tests' tables see it. */
export const of = (handle: Handle) => ("db" in handle ? handle.db : handle) as unknown as Kysely<Things>;

export const insert = (handle: Handle, id: string, values: Partial<ThingsTable> = {}) =>
  of(handle)
    .insertInto("things")
    .values({ id, ...values })
    .execute();

export async function ids(store: Store): Promise<string[]> {
  const rows = await of(store).selectFrom("things").select("id").orderBy("id").execute();
  return rows.map((row) => row.id);
}

/** Opens stores for the tests of one database, and closes them in the end. */
export class Harness {
  /** The place of an empty database. */
  readonly fresh: () => Promise<StoreLocation>;
  readonly #opened: Store[] = [];
  #shared: Store | undefined;

  constructor(fresh: () => Promise<StoreLocation>) {
    this.fresh = fresh;
  }

  open = async (location: StoreLocation, options: Partial<StoreOptions> = {}): Promise<Store> => {
    const store = await openStore(location, { log, migrations: [...migrations, things], ...options });
    this.#opened.push(store);
    return store;
  };

  /** One that most tests share, emptied for each. */
  async start(): Promise<void> {
    this.#shared ??= await this.open(await this.fresh());
    await of(this.#shared).deleteFrom("parts").execute();
    await of(this.#shared).deleteFrom("things").execute();
  }

  store(): Store {
    if (this.#shared === undefined) throw new Error("start first");
    return this.#shared;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.close()));
  }
}
