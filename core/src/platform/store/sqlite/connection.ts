import Database from "better-sqlite3";
import { failures, type Result, type Statement } from "./protocol.ts";

export type Connection = Database.Database;

/** How long to wait for another process that writes: the CLI may work beside the core. */
const busyMs = 10_000;
const cachedStatements = 512;

export function openWriter(file: string): Connection {
  const db = new Database(file, { timeout: busyMs });
  if (db.pragma("journal_mode = WAL", { simple: true }) !== "wal") {
    db.close();
    throw Object.assign(new Error("no write-ahead log"), { code: failures.noLog });
  }
  // A commit returns once its log is on the disk, not just in the page cache.
  db.pragma("synchronous = FULL");
  db.pragma("fullfsync = ON");
  db.pragma("checkpoint_fullfsync = ON");
  db.pragma("journal_size_limit = 67108864");
  common(db);
  return db;
}

export function openReader(file: string): Connection {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: busyMs });
  common(db);
  return db;
}

function common(db: Connection): void {
  db.pragma("foreign_keys = ON");
  // As on PostgreSQL: `like` minds the case.
  db.pragma("case_sensitive_like = ON");
}

/** Runs statements on one connection and keeps the most recently used ones prepared. */
export class Statements {
  readonly #db: Connection;
  readonly #cache = new Map<string, Database.Statement<unknown[]>>();

  constructor(db: Connection) {
    this.#db = db;
  }

  execute({ sql, parameters }: Statement): Result {
    return naming(sql, () => {
      const statement = this.#prepare(sql);
      if (statement.reader) return { rows: statement.all(parameters) };
      return { rows: [], changes: statement.run(parameters).changes };
    });
  }

  #prepare(sql: string): Database.Statement<unknown[]> {
    let statement = this.#cache.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare<unknown[]>(sql);
      if (this.#cache.size >= cachedStatements) this.#dropOldest();
    } else {
      this.#cache.delete(sql);
    }
    this.#cache.set(sql, statement);
    return statement;
  }

  #dropOldest(): void {
    const oldest = this.#cache.keys().next();
    if (!oldest.done) this.#cache.delete(oldest.value);
  }
}

/** Whoever reads the log wants to know which statement it was. */
export function naming<T>(sql: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof Error ? Object.assign(thrown, { sql }) : thrown;
  }
}
