import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from "kysely";

export type Dialect = "sqlite" | "postgres";

/** One step of the schema's history. What has been released is never edited: a change is a new migration. */
export interface Migration {
  readonly name: string;
  up(db: Kysely<unknown>, types: ColumnTypes): Promise<void>;
}

/** The column types that mean the same thing on both databases. */
export interface ColumnTypes {
  readonly dialect: Dialect;
  /** Text that sorts by its bytes on both: a server's locale must not change the order of a list. */
  readonly text: RawBuilder<unknown>;
  /** 64 bits; also for times (epoch milliseconds) and booleans (0 or 1). */
  readonly integer: RawBuilder<unknown>;
  readonly bytes: RawBuilder<unknown>;
  readonly real: RawBuilder<unknown>;
  /**
   * A primary key that the database counts up itself:
   * `.addColumn("id", types.integer, types.autoIncrement)`.
   */
  autoIncrement(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

export function columnTypes(dialect: Dialect): ColumnTypes {
  const sqlite = dialect === "sqlite";
  return {
    dialect,
    text: sqlite ? sql`text` : sql`text collate "C"`,
    integer: sqlite ? sql`integer` : sql`bigint`,
    bytes: sqlite ? sql`blob` : sql`bytea`,
    real: sqlite ? sql`real` : sql`double precision`,
    autoIncrement: (column) =>
      sqlite ? column.primaryKey().autoIncrement() : column.generatedAlwaysAsIdentity().primaryKey(),
  };
}
