/**
 * Every error a caller can meet, in one table: what it means, what to do, and what it is called in each
 * protocol. `docs/errors.md` is generated from here.
 */
export interface CatalogueEntry {
  /** One line that says what kind of thing went wrong. */
  readonly title: string;
  /** What the reader can do about it. */
  readonly help: string;
  readonly grpc: GrpcStatusName;
  readonly http: number;
  readonly jsonRpc: number;
  readonly exit: ExitCode;
}

export type GrpcStatusName =
  | "CANCELLED"
  | "UNKNOWN"
  | "INVALID_ARGUMENT"
  | "DEADLINE_EXCEEDED"
  | "NOT_FOUND"
  | "ALREADY_EXISTS"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "FAILED_PRECONDITION"
  | "ABORTED"
  | "OUT_OF_RANGE"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "DATA_LOSS"
  | "UNAUTHENTICATED";

/** Exit codes of the `stoa` command; the meaning of each is in docs/errors.md. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  config: 3,
  unavailable: 4,
  auth: 5,
  conflict: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { failure, usage, config, unavailable, auth, conflict, interrupted } = exitCodes;

export const catalogue = {
  // Requests
  INVALID_ARGUMENT: {
    title: "A value in the request is missing or not allowed.",
    help: "The message names the field and what it accepts.",
    grpc: "INVALID_ARGUMENT",
    http: 400,
    jsonRpc: -32602,
    exit: usage,
  },
  MALFORMED_MESSAGE: {
    title: "The bytes received are not a message of the expected form.",
    help: "Check that client and server use the same proto or JSON shape.",
    grpc: "INVALID_ARGUMENT",
    http: 400,
    jsonRpc: -32700,
    exit: usage,
  },
  SCHEMA_VIOLATION: {
    title: "A payload does not satisfy the schema it was declared under.",
    help: "`violations` lists each offending path; correct the payload or the schema.",
    grpc: "INVALID_ARGUMENT",
    http: 422,
    jsonRpc: -32602,
    exit: failure,
  },
  NOT_FOUND: {
    title: "What was asked for does not exist here.",
    help: "Check the name, id or path in the message, and that the caller's workspace can see it.",
    grpc: "NOT_FOUND",
    http: 404,
    jsonRpc: -32001,
    exit: failure,
  },
  ALREADY_EXISTS: {
    title: "Something with this name exists already.",
    help: "Choose another name, or change the existing one.",
    grpc: "ALREADY_EXISTS",
    http: 409,
    jsonRpc: -32009,
    exit: conflict,
  },
  UNKNOWN_METHOD: {
    title: "The service or method is not served here.",
    help: "List what is served with `grpcurl localhost:3774 list` or GET /openapi.json.",
    grpc: "UNIMPLEMENTED",
    http: 404,
    jsonRpc: -32601,
    exit: usage,
  },
  METHOD_NOT_ALLOWED: {
    title: "The address exists, and this HTTP method is not served there.",
    help: "The `allow` header names the methods that are; GET /openapi.json describes them.",
    grpc: "UNIMPLEMENTED",
    http: 405,
    jsonRpc: -32601,
    exit: usage,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: "The body has a content type that is not taken here.",
    help: "Send `content-type: application/json`.",
    grpc: "INVALID_ARGUMENT",
    http: 415,
    jsonRpc: -32600,
    exit: usage,
  },
  TOO_LARGE: {
    title: "The message is larger than the configured limit.",
    help: "Send less, stream it, or raise the limit named in the message.",
    grpc: "RESOURCE_EXHAUSTED",
    http: 413,
    jsonRpc: -32013,
    exit: failure,
  },
  RATE_LIMITED: {
    title: "Too many calls are under way.",
    help: "Wait and retry; the limit and the setting that changes it are in the message.",
    grpc: "RESOURCE_EXHAUSTED",
    http: 429,
    jsonRpc: -32029,
    exit: unavailable,
  },
  DEADLINE_EXCEEDED: {
    title: "The work did not finish within its deadline.",
    help: "Retry with a longer deadline, or look at what is slow in the metrics.",
    grpc: "DEADLINE_EXCEEDED",
    http: 504,
    jsonRpc: -32004,
    exit: unavailable,
  },
  CANCELLED: {
    title: "The caller cancelled the work.",
    help: "Nothing to do, unless it was not you: then look for a client timeout.",
    grpc: "CANCELLED",
    http: 499,
    jsonRpc: -32003,
    exit: interrupted,
  },
  USAGE: {
    title: "The command line was not understood.",
    help: "Add `--help` to a command to see what it takes, with examples.",
    grpc: "INVALID_ARGUMENT",
    http: 400,
    jsonRpc: -32602,
    exit: usage,
  },
  // Who may do what
  UNAUTHENTICATED: {
    title: "The caller did not show who they are, or what they showed is not valid.",
    help: "Send `authorization: Bearer <token or API key>`; mint one with `stoa token mint`.",
    grpc: "UNAUTHENTICATED",
    http: 401,
    jsonRpc: -32010,
    exit: auth,
  },
  PERMISSION_DENIED: {
    title: "The caller is known and may not do this.",
    help: "Ask an admin of the workspace, or use a key with the role the message names.",
    grpc: "PERMISSION_DENIED",
    http: 403,
    jsonRpc: -32011,
    exit: auth,
  },
  POLICY_BLOCKED: {
    title: "The tool's policy does not allow this call.",
    help: "Only an explicit `allow` runs; set the policy of the tool for this workspace.",
    grpc: "PERMISSION_DENIED",
    http: 403,
    jsonRpc: -32012,
    exit: failure,
  },
  FAILED_PRECONDITION: {
    title: "The system is not in the state that this needs.",
    help: "The message says which state is missing and how to reach it.",
    grpc: "FAILED_PRECONDITION",
    http: 409,
    jsonRpc: -32014,
    exit: failure,
  },
  // Configuration and files
  CONFIG_INVALID: {
    title: "The configuration has a key or value that is not allowed.",
    help: "The message names file, line and what is allowed; `stoa config show` prints what is in effect.",
    grpc: "FAILED_PRECONDITION",
    http: 500,
    jsonRpc: -32603,
    exit: config,
  },
  FILE_INVALID: {
    title: "A contract file (manifest, capabilities, fleet) has a problem.",
    help: "The message names file, line and column of each problem.",
    grpc: "FAILED_PRECONDITION",
    http: 422,
    jsonRpc: -32603,
    exit: config,
  },
  SCHEMA_INVALID: {
    title: "A schema has something in it that cannot be enforced.",
    help: "The message names each place in the schema; correct it there.",
    grpc: "FAILED_PRECONDITION",
    http: 422,
    jsonRpc: -32603,
    exit: config,
  },
  KEY_INVALID: {
    title: "A signing key is unusable.",
    help: "A key has at least 32 bytes; unset it to have one generated.",
    grpc: "FAILED_PRECONDITION",
    http: 500,
    jsonRpc: -32603,
    exit: config,
  },
  EXPOSURE_REFUSED: {
    title: "A listener would be open to other machines with no authentication configured.",
    help: "Set STOA_SIGNING_KEY, create an API key with `stoa key create`, or listen on 127.0.0.1.",
    grpc: "FAILED_PRECONDITION",
    http: 500,
    jsonRpc: -32603,
    exit: config,
  },
  // Start-up and surroundings
  PORT_TAKEN: {
    title: "A port is in use by another program.",
    help: "Stop that program, or change the setting that the message names.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32603,
    exit: conflict,
  },
  HOME_IN_USE: {
    title: "Another core runs on this STOA_HOME.",
    help: "Stop the process whose pid the message names, or set another STOA_HOME.",
    grpc: "FAILED_PRECONDITION",
    http: 503,
    jsonRpc: -32603,
    exit: conflict,
  },
  HOME_UNWRITABLE: {
    title: "The data folder cannot be written.",
    help: "Give this user write access to it, or set STOA_HOME to a folder that can be written.",
    grpc: "FAILED_PRECONDITION",
    http: 503,
    jsonRpc: -32603,
    exit: config,
  },
  STORE_UNREACHABLE: {
    title: "The database cannot be reached.",
    help: "Check DATABASE_URL and that the server runs; the message says what was tried.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32603,
    exit: unavailable,
  },
  STORE_CORRUPT: {
    title: "The database file is damaged or is no database.",
    help: "Restore it from a backup; the damaged file is left as it is.",
    grpc: "DATA_LOSS",
    http: 500,
    jsonRpc: -32603,
    exit: failure,
  },
  STORE_FULL: {
    title: "The disk that holds the database is full.",
    help: "Free some space on it; what was acknowledged before is safe.",
    grpc: "RESOURCE_EXHAUSTED",
    http: 507,
    jsonRpc: -32603,
    exit: unavailable,
  },
  STORE_TOO_NEW: {
    title: "The database was migrated by a newer Stoa.",
    help: "Run that version or a later one; this one would not understand the data.",
    grpc: "FAILED_PRECONDITION",
    http: 500,
    jsonRpc: -32603,
    exit: conflict,
  },
  STORE_CONFLICT: {
    title: "The write met a concurrent one and was not carried out.",
    help: "Retry it.",
    grpc: "ABORTED",
    http: 409,
    jsonRpc: -32015,
    exit: unavailable,
  },
  BUS_UNREACHABLE: {
    title: "The message bus cannot be reached.",
    help: "Check NATS_URL and that the server runs.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32603,
    exit: unavailable,
  },
  UNAVAILABLE: {
    title: "Something that this call needs is not available right now.",
    help: "Start what the message says is missing, or retry with backoff.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32016,
    exit: unavailable,
  },
  SHUTTING_DOWN: {
    title: "The core is stopping and takes no new work.",
    help: "Retry; another node or the restarted core will answer.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32017,
    exit: unavailable,
  },
  // Work done by others
  CAPABILITY_UNHEALTHY: {
    title: "The capability is not ready, so no call was routed to it.",
    help: "Look at its status and log; calls resume when its health check passes.",
    grpc: "UNAVAILABLE",
    http: 503,
    jsonRpc: -32018,
    exit: unavailable,
  },
  TOOL_FAILED: {
    title: "The tool ran and reported a failure.",
    help: "The message is the tool's own.",
    grpc: "UNKNOWN",
    http: 502,
    jsonRpc: -32019,
    exit: failure,
  },
  AGENT_FAILED: {
    title: "The agent's handler failed or answered in a form that cannot be used.",
    help: "Look at the agent's own log; the message says what arrived.",
    grpc: "UNAVAILABLE",
    http: 502,
    jsonRpc: -32020,
    exit: failure,
  },
  MODEL_FAILED: {
    title: "The model provider did not answer.",
    help: "Check the provider's settings and status; no part of the turn was lost.",
    grpc: "UNAVAILABLE",
    http: 502,
    jsonRpc: -32021,
    exit: unavailable,
  },
  PEER_FAILED: {
    title: "The server that was called failed.",
    help: "Look at that server's own log; the message is what it said.",
    grpc: "UNKNOWN",
    http: 502,
    jsonRpc: -32022,
    exit: failure,
  },
  LEDGER_BROKEN: {
    title: "The ledger does not verify.",
    help: "The message names the first record that fails; treat the store as tampered with.",
    grpc: "DATA_LOSS",
    http: 500,
    jsonRpc: -32603,
    exit: failure,
  },
  INTERNAL: {
    title: "A fault in Stoa itself.",
    help: "The log has the cause under the request id; please report it.",
    grpc: "INTERNAL",
    http: 500,
    jsonRpc: -32603,
    exit: failure,
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;
