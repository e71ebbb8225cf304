import { sql } from "kysely";
import type { Migration } from "./migration.ts";

export const ledger: Migration = {
  name: "0004_ledger",
  async up(db, { text, integer, bytes }) {
    await db.schema
      .createTable("ledger_records")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("kind", text, (c) => c.notNull())
      .addColumn("ts", integer, (c) => c.notNull())
      .addColumn("agent", text)
      .addColumn("correlation", text)
      .addColumn("meta", text, (c) => c.notNull())
      .addColumn("subject", text)
      .addColumn("payload", text)
      .addColumn("salt", text)
      .addColumn("digest", text)
      .addColumn("leaf", text, (c) => c.notNull())
      .addColumn("seq", integer)
      .addColumn("erasure_id", text)
      .execute();
    // Writing a record costs as little as can be: it enters this one small index, and the others with its place,
    // when the sequencer writes many at once.
    await db.schema
      .createIndex("ledger_records_waiting")
      .on("ledger_records")
      .columns(["workspace_id", "ts", "id"])
      .where(sql.ref("seq"), "is", null)
      .execute();
    const placed = {
      seq: ["workspace_id", "seq"],
      ts: ["workspace_id", "ts"],
      kind: ["workspace_id", "kind", "ts"],
      agent: ["workspace_id", "agent", "ts"],
      correlation: ["workspace_id", "correlation"],
    };
    for (const [name, columns] of Object.entries(placed)) {
      const index = db.schema
        .createIndex(`ledger_records_${name}`)
        .on("ledger_records")
        .columns(columns)
        .where(sql.ref("seq"), "is not", null);
      await (name === "seq" ? index.unique() : index).execute();
    }
    await db.schema
      .createTable("ledger_tiles")
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("level", integer, (c) => c.notNull())
      .addColumn("place", integer, (c) => c.notNull())
      .addColumn("hashes", bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint("ledger_tiles_pk", ["workspace_id", "level", "place"])
      .execute();
    await db.schema
      .createTable("ledger_checkpoints")
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("size", integer, (c) => c.notNull())
      .addColumn("previous_size", integer, (c) => c.notNull())
      .addColumn("root", text, (c) => c.notNull())
      .addColumn("ts", integer, (c) => c.notNull())
      .addColumn("key_id", text, (c) => c.notNull())
      .addColumn("previous", text)
      .addColumn("signature", text, (c) => c.notNull())
      .addPrimaryKeyConstraint("ledger_checkpoints_pk", ["workspace_id", "size"])
      // Two sequencers that built on the same checkpoint: the second one's whole batch is refused.
      .addUniqueConstraint("ledger_checkpoints_line", ["workspace_id", "previous_size"])
      .execute();
  },
};
