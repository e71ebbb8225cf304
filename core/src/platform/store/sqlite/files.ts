import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf, StoaError } from "#platform/errors";
import { openReader } from "./connection.ts";

/** Above this size a whole look at the file would make the start slow; damage then shows when it is met. */
const checkedBytes = 32 * 1024 * 1024;

/** Makes the data folder and the database file, readable by their owner alone, and returns the file's path. */
export function prepareFile(home: string): string {
  const folder = resolve(home);
  const file = join(folder, "stoa.db");
  const fresh = !existsSync(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // SQLite gives the files it puts beside it (-wal, -shm) the same mode.
    closeSync(openSync(file, "a", 0o600));
    if (fresh) {
      sync(folder);
      sync(dirname(folder));
    }
  } catch (thrown) {
    const full = thrown instanceof Error && "code" in thrown && thrown.code === "ENOSPC";
    throw new StoaError(
      full ? "STORE_FULL" : "HOME_UNWRITABLE",
      `The data folder ${folder} cannot be used: ${messageOf(thrown)}. ` +
        (full
          ? "Free some space."
          : "Give this user write access to it, or set STOA_HOME to another folder."),
      { details: { home: folder }, cause: thrown },
    );
  }
  return file;
}

/** A new file is lost with the machine's power unless its folder is written out too. */
function sync(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Throws if the file is no database or a damaged one. It is opened for reading only, so that it stays as it is. */
export function inspect(file: string): void {
  const { size } = statSync(file);
  if (size === 0) return;
  const db = openReader(file);
  try {
    if (size > checkedBytes) {
      db.prepare("select count(*) from sqlite_schema").get();
      return;
    }
    const found = db.pragma("quick_check(1)", { simple: true });
    if (found !== "ok") throw Object.assign(new Error(String(found)), { code: "SQLITE_CORRUPT" });
  } finally {
    db.close();
  }
}
