import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  IdentifierNode,
  type QueryCompiler,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  SelectQueryNode,
} from "kysely";
import { StoaError } from "#platform/errors";
import { checkParameters } from "../parameters.ts";
import type { Result, Statement } from "./protocol.ts";
import type { SqliteThreads } from "./threads.ts";

/** Sends each query to the thread it belongs to: reads to a reader, all else to the writer. */
export class SqliteDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#threads);
  }

  async beginTransaction(connection: Connection): Promise<void> {
    connection.begin();
  }

  async commitTransaction(connection: Connection): Promise<void> {
    await connection.end(true);
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // It can only fail with the writer gone, and then the error that led here says so.
    await connection.end(false).catch(() => undefined);
  }

  async savepoint(connection: Connection, name: string, compile: Compile): Promise<void> {
    await connection.savepoint("savepoint", name, compile);
  }

  async rollbackToSavepoint(connection: Connection, name: string, compile: Compile): Promise<void> {
    await connection.savepoint("rollback to", name, compile);
  }

  async releaseSavepoint(connection: Connection, name: string, compile: Compile): Promise<void> {
    await connection.savepoint("release", name, compile);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

type Compile = QueryCompiler["compileQuery"];

class Connection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  #transaction: { readonly id: number; begun: boolean } | undefined;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  /** Costs nothing: the first statement tells the writer. */
  begin(): void {
    this.#transaction = { id: this.#threads.openTransaction(), begun: false };
  }

  async end(commit: boolean): Promise<void> {
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    if (!commit) this.#transaction = undefined;
    try {
      if (transaction.begun) await this.#threads.end(transaction.id, commit);
      this.#transaction = undefined;
    } finally {
      this.#threads.closeTransaction(transaction.id);
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = toStatement(query);
    if (this.#transaction !== undefined) return toQueryResult(await this.#step(statement, false));
    const result = reads(query.query)
      ? await this.#threads.read(statement)
      : await this.#threads.run([statement]);
    return toQueryResult(result);
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    if (this.#transaction !== undefined) {
      throw new StoaError(
        "FAILED_PRECONDITION",
        "Rows cannot be streamed inside a transaction: it would keep the writer waiting for the reader.",
      );
    }
    for await (const rows of this.#threads.stream(toStatement(query), chunkSize)) {
      yield { rows: rows as R[] };
    }
  }

  async savepoint(command: "savepoint" | "rollback to" | "release", name: string, compile: Compile) {
    const node = RawNode.create([`${command} `, ""], [IdentifierNode.create(name)]);
    const { sql } = compile(node, CompiledQuery.raw("").queryId);
    await this.#step({ sql, parameters: [] }, command === "rollback to");
  }

  async #step(statement: Statement, recovers: boolean): Promise<Result> {
    const transaction = this.#transaction;
    if (transaction === undefined) throw new StoaError("INTERNAL", "A savepoint needs a transaction.");
    const first = !transaction.begun;
    transaction.begun = true;
    return this.#threads.step({ transaction: transaction.id, first, recovers, statement });
  }
}

export function toStatement({ sql, parameters }: CompiledQuery): Statement {
  return { sql, parameters: checkParameters(parameters) };
}

function toQueryResult<R>({ rows, changes }: Result): QueryResult<R> {
  return changes === undefined
    ? { rows: rows as R[] }
    : { rows: rows as R[], numAffectedRows: BigInt(changes) };
}

const rawRead = /^\s*(?:select|values|explain)\b/i;

function reads(node: RootOperationNode): boolean {
  if (SelectQueryNode.is(node)) return true;
  return RawNode.is(node) && rawRead.test(node.sqlFragments[0] ?? "");
}
