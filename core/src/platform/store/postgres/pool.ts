import pg from "pg";
import { StoaError } from "#platform/errors";
import type { Logger } from "#platform/log";

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

export interface ConnectionSettings {
  readonly url: string;
  readonly statementTimeoutMs: number;
  readonly idleInTransactionMs: number;
  readonly max: number;
}

const connectMs = 5_000;

/** Waits for a connection only as long as connecting takes; the time spent in a pool's queue does not count. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
  }
}

/** 64-bit integers, counts and sums arrive as text; as on SQLite they become numbers. */
const asNumber = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

/** Where the server is set to acknowledge before it has written, its word would not be ours to give. */
const durable =
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

export function createPool(settings: ConnectionSettings, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    Client,
    connectionString: settings.url,
    application_name: "stoa",
    max: settings.max,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: settings.idleInTransactionMs,
    onConnect: (client) => client.query(durable),
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        asNumber.has(oid) ? Number : pg.types.getTypeParser(oid, format as "text"),
    },
  });
  // A server that goes away is met by whoever needs it next; without a listener it would end the process.
  // The error itself is not logged: it carries the client with all its settings.
  pool.on("error", (err) => log.warn({ reason: err.message }, "an idle database connection was lost"));
  return pool;
}

/** Where a URL points, without its password. */
export function targetOf(url: string): Target {
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error("wrong scheme");
    const { host, port, database, user } = new pg.Client({ connectionString: url });
    return { host, port, database: database ?? "", user: user ?? "" };
  } catch {
    // Neither the URL nor what the parser says about it is shown: both may hold the password.
    throw new StoaError(
      "CONFIG_INVALID",
      "The database URL cannot be understood. It has the form postgres://user:password@host:port/database.",
    );
  }
}
