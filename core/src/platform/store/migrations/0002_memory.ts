import type { Migration } from "./migration.ts";

export const memory: Migration = {
  name: "0002_memory",
  async up(db, { text, integer }) {
    await db.schema
      .createTable("memories")
      .addColumn("workspace_id", text, (c) => c.notNull())
      .addColumn("category", text, (c) => c.notNull())
      .addColumn("key", text, (c) => c.notNull())
      .addColumn("content", text, (c) => c.notNull())
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("updated_at", integer, (c) => c.notNull())
      .addPrimaryKeyConstraint("memories_pk", ["workspace_id", "category", "key"])
      .execute();
    // Two ways to list, newest first: a whole workspace, and one category of it.
    await db.schema
      .createIndex("memories_newest")
      .on("memories")
      .columns(["workspace_id", "updated_at desc", "key"])
      .execute();
    await db.schema
      .createIndex("memories_category_newest")
      .on("memories")
      .columns(["workspace_id", "category", "updated_at desc", "key"])
      .execute();
    // Deleting by key alone reaches every category.
    await db.schema.createIndex("memories_key").on("memories").columns(["workspace_id", "key"]).execute();
  },
};
