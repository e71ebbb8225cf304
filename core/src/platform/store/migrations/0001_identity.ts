import type { Migration } from "./migration.ts";

export const identity: Migration = {
  name: "0001_identity",
  async up(db, { text, integer }) {
    await db.schema
      .createTable("workspaces")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("created_at", integer, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("api_keys")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("workspace_id", text, (c) => c.notNull().references("workspaces.id"))
      .addColumn("user_id", text, (c) => c.notNull())
      .addColumn("name", text, (c) => c.notNull())
      .addColumn("role", text, (c) => c.notNull())
      .addColumn("hash", text, (c) => c.notNull())
      .addColumn("prefix", text, (c) => c.notNull())
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("expires_at", integer)
      .addColumn("last_used_at", integer)
      .addColumn("revoked_at", integer)
      .addUniqueConstraint("api_keys_hash", ["hash"])
      .execute();
    await db.schema.createIndex("api_keys_workspace").on("api_keys").column("workspace_id").execute();
  },
};
