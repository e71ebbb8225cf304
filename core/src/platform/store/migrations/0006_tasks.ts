import type { Migration } from "./migration.ts";

export const tasks: Migration = {
  name: "0006_tasks",
  async up(db, { text, integer }) {
    await db.schema
      .createTable("tasks")
      .addColumn("id", text, (c) => c.notNull())
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("user_id", text, (c) => c.notNull())
      .addColumn("agent_id", text, (c) => c.notNull())
      .addColumn("context_id", text, (c) => c.notNull())
      .addColumn("state", text, (c) => c.notNull())
      .addColumn("task_json", text, (c) => c.notNull())
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("updated_at", integer, (c) => c.notNull())
      // A task is its owner's alone, so its id is too: nobody can take or guess another's.
      .addPrimaryKeyConstraint("tasks_pk", ["workspace_id", "user_id", "agent_id", "id"])
      .execute();
    await db.schema
      .createIndex("tasks_newest")
      .on("tasks")
      .columns(["workspace_id", "user_id", "agent_id", "updated_at", "id"])
      .execute();
  },
};
