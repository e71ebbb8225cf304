import type { Migration } from "./migration.ts";

export const sessions: Migration = {
  name: "0005_sessions",
  async up(db, { text, integer }) {
    await db.schema
      .createTable("sessions")
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("user_id", text, (c) => c.notNull())
      .addColumn("id", text, (c) => c.notNull())
      .addColumn("last_agent_id", text)
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("updated_at", integer, (c) => c.notNull())
      .addPrimaryKeyConstraint("sessions_pk", ["workspace_id", "user_id", "id"])
      .execute();
    await db.schema
      .createTable("turns")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("user_id", text, (c) => c.notNull())
      .addColumn("session_id", text, (c) => c.notNull())
      .addColumn("seq", integer, (c) => c.notNull())
      .addColumn("agent_id", text)
      .addColumn("status", text, (c) => c.notNull())
      .addColumn("message", text, (c) => c.notNull())
      .addColumn("answer", text)
      .addColumn("model", text)
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("finished_at", integer)
      // Two turns cannot take the same place, whatever node they run on.
      .addUniqueConstraint("turns_place", ["workspace_id", "user_id", "session_id", "seq"])
      .addForeignKeyConstraint(
        "turns_session",
        ["workspace_id", "user_id", "session_id"],
        "sessions",
        ["workspace_id", "user_id", "id"],
        (c) => c.onDelete("cascade"),
      )
      .execute();
    await db.schema
      .createTable("turn_steps")
      .addColumn("turn_id", text, (c) => c.notNull().references("turns.id").onDelete("cascade"))
      .addColumn("seq", integer, (c) => c.notNull())
      .addColumn("kind", text, (c) => c.notNull())
      .addColumn("data_json", text, (c) => c.notNull())
      .addColumn("created_at", integer, (c) => c.notNull())
      .addPrimaryKeyConstraint("turn_steps_pk", ["turn_id", "seq"])
      .execute();
  },
};
