import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  IdentifierNode,
  type QueryCompiler,
  type QueryResult,
  RawNode,
} from "kysely";
import { StoaError } from "#platform/errors";
import type { Gate } from "../gate.ts";
import { checkParameters } from "../parameters.ts";
import { checkStream, reads } from "../reads.ts";
import type { Result, Statement } from "./protocol.ts";
import type { SqliteThreads } from "./threads.ts";

/** Sends each query to the thread it belongs to: reads to a reader, all else to the writer. */
export class SqliteDriver implements Driver {
  readonly #threads: SqliteThreads;
  readonly #gate: Gate;

  constructor(threads: SqliteThreads, gate: Gate) {
    this.#threads = threads;
    this.#gate = gate;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#threads, this.#gate.enter());
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

  async releaseConnection(connection: Connection): Promise<void> {
    connection.leave();
  }

  async destroy(): Promise<void> {}
}

type Compile = QueryCompiler["compileQuery"];

class Connection implements DatabaseConnection {
  readonly leave: () => void;
  readonly #threads: SqliteThreads;
  #transaction: { readonly id: number; begun: boolean } | undefined;

  constructor(threads: SqliteThreads, leave: () => void) {
    this.#threads = threads;
    this.leave = leave;
  }

  /** Costs nothing: the first statement tells the writer. */
  begin(): void {
    this.#transaction = { id: this.#threads.nextTransaction(), begun: false };
  }

  async end(commit: boolean): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction?.begun) await this.#threads.end(transaction.id, commit);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = toStatement(query);
    if (this.#transaction !== undefined) return toQueryResult(await this.#step(statement, false));
    const result = reads(query.query)
      ? await this.#threads.readers.read(statement)
      : await this.#threads.run([statement]);
    return toQueryResult(result);
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    checkStream(query, this.#transaction !== undefined);
    // Who reads at leisure is not waited for when the store closes.
    this.leave();
    for await (const rows of this.#threads.readers.stream(toStatement(query), chunkSize)) {
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
