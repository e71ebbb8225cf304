import type { Migration } from "./migration.ts";

export const agents: Migration = {
  name: "0003_agents",
  async up(db, { text, integer }) {
    await db.schema
      .createTable("agents")
      .addColumn("id", text, (c) => c.primaryKey())
      .addColumn("workspace_id", text)
      .addColumn("owner", text, (c) => c.notNull())
      .addColumn("kind", text, (c) => c.notNull())
      .addColumn("name", text, (c) => c.notNull())
      .addColumn("author", text)
      .addColumn("config_json", text, (c) => c.notNull())
      .addColumn("skills_json", text, (c) => c.notNull())
      .addColumn("callback_address", text)
      .addColumn("did", text)
      .addColumn("public_key_pem", text)
      .addColumn("url", text)
      .addColumn("status", text, (c) => c.notNull())
      .addColumn("created_at", integer, (c) => c.notNull())
      .addColumn("updated_at", integer, (c) => c.notNull())
      .addColumn("last_heartbeat_at", integer)
      .execute();
    await db.schema.createIndex("agents_workspace").on("agents").columns(["workspace_id", "name"]).execute();
  },
};
