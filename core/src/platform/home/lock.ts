import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { isStoaError, StoaError } from "#platform/errors";
import { ensureHome, unwritable } from "./ensure.ts";
import { type RuntimeInfo, readRuntime, removeRuntime, writeRuntime } from "./runtime.ts";

/**
 * One core per home. The lock is one that the operating system holds for the process (SQLite's, on an empty
 * database file): it ends with the process however that ends, so there is no stale lock to judge, and a pid
 * that was given to another program since cannot mislead anyone. The pid in core.json is only for the message.
 */
export interface HomeLock {
  readonly home: string;
  /** Tells the command line where this core listens. */
  publish(info: Omit<RuntimeInfo, "pid" | "startedAt">): void;
  /** Gives the home free. Calling it again does nothing. */
  release(): void;
}

export interface LockOptions {
  readonly clock?: () => number;
  /** How long to wait for a command line that holds the lock for a moment. */
  readonly waitMs?: number;
}

// Held here as well, because a database handle that nobody refers to is closed by the garbage collector.
const held = new Set<Database.Database>();

export function lockHome(home: string, options: LockOptions = {}): HomeLock {
  ensureHome(home);
  const database = open(home, options.waitMs ?? 1000);
  try {
    // Nothing is ever written to it, so it needs no journal beside it.
    database.pragma("journal_mode = memory");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw isBusy(error) ? inUse(home) : damaged(home, error);
  }
  held.add(database);
  const startedAt = (options.clock ?? Date.now)();
  const identity = { pid: process.pid, startedAt };
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    removeRuntime(home);
    held.delete(database);
    database.close();
  };
  try {
    writeRuntime(home, identity);
  } catch (error) {
    release();
    throw isStoaError(error) ? error : unwritable(home, error);
  }
  return { home, publish: (info) => writeRuntime(home, { ...info, ...identity }), release };
}

/** True while a core (or a command that works on its files) holds this home. */
export function isHomeLocked(home: string): boolean {
  let database: Database.Database;
  try {
    database = new Database(lockPath(home), { timeout: 0, fileMustExist: true });
  } catch {
    return false;
  }
  try {
    database.pragma("schema_version");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

function open(home: string, waitMs: number): Database.Database {
  try {
    // Made here, because SQLite would let others read it, and whoever can read it can hold it.
    closeSync(openSync(lockPath(home), "a", 0o600));
    return new Database(lockPath(home), { timeout: waitMs });
  } catch (error) {
    throw unwritable(home, error);
  }
}

function lockPath(home: string): string {
  return join(home, "core.lock");
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function inUse(home: string): StoaError {
  const pid = readRuntime(home)?.pid;
  const who = pid === undefined ? "another core" : `the core with pid ${pid}`;
  return new StoaError(
    "HOME_IN_USE",
    `${home} is in use by ${who}. Stop it, or set STOA_HOME (or --home) to another folder.`,
    { details: { home, ...(pid === undefined ? {} : { pid }) } },
  );
}

function damaged(home: string, cause: unknown): StoaError {
  return new StoaError(
    "HOME_UNWRITABLE",
    `${lockPath(home)} cannot be locked: it is damaged, or the file system has no locks. Delete the file if no ` +
      "core runs on this folder.",
    { details: { path: lockPath(home) }, cause },
  );
}
