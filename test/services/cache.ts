import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

/** Tools that were built or downloaded stay here from run to run; the names of the folders hold the versions. */
export const cacheFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "stoa",
  "test-tools",
);

const busy = 5; // SQLITE_BUSY

/**
 * Runs `work` while no other process on this machine holds the lock. SQLite's file lock is used because the operating
 * system releases it when the holder dies, whichever way, and Node has no file lock of its own.
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  await mkdir(cacheFolder, { recursive: true });
  const file = new DatabaseSync(join(cacheFolder, `${name}.lock`), { timeout: 0 });
  try {
    while (!tryLock(file)) await delay(200);
    return await work();
  } finally {
    file.close();
  }
}

function tryLock(file: DatabaseSync): boolean {
  try {
    file.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
