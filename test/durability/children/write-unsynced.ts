// What the store must not do: acknowledge what only the page cache has. It shows that the test of the order of
// system calls can fail.
// Usage: write-unsynced.ts <file> <how many>
import { createRequire } from "node:module";
import { say } from "./say.ts";

const require = createRequire(new URL("../../../core/package.json", import.meta.url));
const Database = require("better-sqlite3") as typeof import("better-sqlite3");

const [file = "", count = "0"] = process.argv.slice(2);
const db = new Database(file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = OFF");
db.exec("create table t (id integer primary key)");
const insert = db.prepare("insert into t values (?)");
for (let entry = 0; entry < Number(count); entry++) {
  insert.run(entry);
  say(`ack ${entry}`);
}
db.close();
