import { type Connection, naming, openReader } from "./connection.ts";
import { empty, failures, type Result, type Statement } from "./protocol.ts";

/** Each holds files open, and a slow reader holds it for long. */
const maxCursors = 64;

interface Cursor {
  readonly db: Connection;
  readonly rows: IterableIterator<unknown>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Result sets that are read piece by piece. Each has a connection of its own: while one is open its connection
 * sees the database as it was at the start, and no other read must be held back in time with it.
 */
export class Cursors {
  readonly #file: string;
  readonly #idleMs: number;
  readonly #cursors = new Map<number, Cursor>();

  constructor(file: string, idleMs: number) {
    this.#file = file;
    this.#idleMs = idleMs;
  }

  open(id: number, { sql, parameters }: Statement): Result {
    if (this.#cursors.size >= maxCursors) {
      throw Object.assign(new Error(`${maxCursors} are open`), { code: failures.tooManyStreams });
    }
    const db = openReader(this.#file);
    try {
      const rows = naming(sql, () => db.prepare<unknown[]>(sql).iterate(parameters));
      const timer = setTimeout(() => this.drop(id), this.#idleMs);
      this.#cursors.set(id, { db, rows, timer });
      return empty;
    } catch (thrown) {
      db.close();
      throw thrown;
    }
  }

  fetch(id: number, count: number): Result {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) {
      throw Object.assign(new Error(`not read from for ${this.#idleMs} ms`), { code: failures.streamGone });
    }
    cursor.timer.refresh();
    const rows: unknown[] = [];
    while (rows.length < count) {
      const next = cursor.rows.next();
      if (next.done) break;
      rows.push(next.value);
    }
    return { rows };
  }

  drop(id: number): Result {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) return empty;
    this.#cursors.delete(id);
    clearTimeout(cursor.timer);
    cursor.rows.return?.();
    cursor.db.close();
    return empty;
  }

  close(): void {
    for (const id of [...this.#cursors.keys()]) this.drop(id);
  }
}
