import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  IdentifierNode,
  type QueryCompiler,
  type QueryResult,
  RawNode,
  type TransactionSettings,
} from "kysely";
import type pg from "pg";
import { StoaError } from "#platform/errors";
import type { Gate } from "../gate.ts";
import { checkParameters } from "../parameters.ts";
import { checkStream, reads } from "../reads.ts";
import type { Session } from "./session.ts";

export interface DriverOptions {
  readonly gate: Gate;
  readonly connect: () => Promise<Session>;
  /** Streams have connections of their own, so that slow readers do not use up those of everybody else. */
  readonly connectStream: () => Promise<Session>;
  readonly streamIdleMs: number;
}

export class PostgresDriver implements Driver {
  readonly #options: DriverOptions;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#options, this.#options.gate.enter());
  }

  async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    await connection.begin(settings);
  }

  async commitTransaction(connection: Connection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    await connection.rollback();
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
    await connection.release();
  }

  async destroy(): Promise<void> {}
}

type Compile = QueryCompiler["compileQuery"];

class Connection implements DatabaseConnection {
  readonly #options: DriverOptions;
  readonly #leave: () => void;
  #session: Promise<Session> | undefined;
  #inTransaction = false;

  constructor(options: DriverOptions, leave: () => void) {
    this.#options = options;
    this.#leave = leave;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const level = isolationLevel === undefined ? "" : ` isolation level ${isolationLevel}`;
    await this.#query(`begin${level}${accessMode === undefined ? "" : ` ${accessMode}`}`);
    this.#inTransaction = true;
  }

  async commit(): Promise<void> {
    const { command } = await this.#query("commit");
    this.#inTransaction = false;
    // The server's way to say that a failed statement left nothing to commit.
    if (command === "ROLLBACK") throw aborted();
  }

  async rollback(): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      await this.#query("rollback");
    } catch (thrown) {
      // The error that led here is the one to tell; without its connection the transaction is rolled back too.
      (await this.#session)?.discard(thrown);
    }
  }

  async savepoint(command: "savepoint" | "rollback to" | "release", name: string, compile: Compile) {
    const node = RawNode.create([`${command} `, ""], [IdentifierNode.create(name)]);
    await this.#query(compile(node, CompiledQuery.raw("").queryId).sql);
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const checked = checkParameters(parameters, reads(query));
    const { command, rowCount, rows } = await this.#query(sql, checked);
    const changed = command === "INSERT" || command === "UPDATE" || command === "DELETE";
    return changed ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows: rows ?? [] };
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    checkStream(query, this.#inTransaction);
    const parameters = checkParameters(query.parameters, true);
    // Who reads at leisure is not waited for when the store closes.
    this.#leave();
    const session = await this.#options.connectStream();
    try {
      await session.query("begin read only");
      await session.query(`set local idle_in_transaction_session_timeout = ${this.#options.streamIdleMs}`);
      await session.query(`declare stoa_stream no scroll cursor for ${query.sql}`, parameters);
      for (;;) {
        const { rows } = await session.query(`fetch forward ${chunkSize} from stoa_stream`);
        if (rows.length > 0) yield { rows };
        if (rows.length < chunkSize) break;
      }
    } finally {
      await session.query("rollback").catch((thrown) => session.discard(thrown));
      session.release();
    }
  }

  async release(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    session?.release();
    this.#leave();
  }

  async #query(sql: string, parameters?: readonly unknown[]): Promise<pg.QueryResult> {
    // Fetched when needed: a stream does without.
    this.#session ??= this.#options.connect();
    const session = await this.#session;
    return session.query(sql, parameters);
  }
}

function aborted(): StoaError {
  return new StoaError(
    "FAILED_PRECONDITION",
    "The transaction was rolled back, because one of its statements failed.",
  );
}
