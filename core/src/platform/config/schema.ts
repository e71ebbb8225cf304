import { z } from "zod";
import {
  bytes,
  choice,
  count,
  databaseUrl,
  flag,
  host,
  httpUrl,
  natsUrl,
  path,
  port,
  ratio,
  seconds,
  secretKeys,
  setting,
  text,
} from "./kinds.ts";

/**
 * Every setting there is: its type, its default, what it is for, and what it is called in the environment
 * and on the command line. The loader, `stoa config show` and docs/configuration.md are all made from this.
 */
export const configSchema = z.strictObject({
  home: setting(path().default(".stoa"), {
    description: "The folder that holds the data of this core: database, keys, lock. Created with mode 0700.",
    env: ["STOA_HOME"],
    flags: ["--home"],
  }),
  fleet: setting(path().optional(), {
    description: "The fleet folder: the one that holds `fleet.yaml`. Without it the demo fleet is served.",
    env: ["STOA_FLEET"],
    flags: ["--fleet"],
  }),
  demo: setting(flag().default(true), {
    description: "Serve the small demo fleet where no fleet is set.",
    env: ["STOA_DEMO"],
    flags: ["--demo"],
  }),
  signingKeys: setting(secretKeys().default([]), {
    description:
      "The keys of HMAC bearer tokens. The first one signs, each of them is accepted, so that a key can be " +
      "rotated. Without one, a key is generated in `signing.key` of the home folder.",
    env: ["STOA_SIGNING_KEY"],
    flags: [],
    secret: "whole",
  }),
  drainTimeout: setting(seconds().default(10), {
    description: "How long work under way may take to finish when the core stops, in seconds.",
    env: ["STOA_DRAIN_TIMEOUT"],
    flags: ["--drain-timeout"],
  }),
  http: z
    .strictObject({
      host: setting(host().default("127.0.0.1"), {
        description: "The address that console, REST, MCP and A2A listen on.",
        env: ["STOA_HTTP_HOST"],
        flags: ["--http-host", "--host"],
      }),
      port: setting(port().default(3775), {
        description: "The port that console, REST, MCP and A2A listen on.",
        env: ["STOA_HTTP_PORT"],
        flags: ["--http-port"],
      }),
      bodyLimit: setting(bytes().default(1_048_576), {
        description: "The largest request body taken, in bytes.",
        env: ["STOA_HTTP_BODY_LIMIT"],
        flags: [],
      }),
      requestTimeout: setting(seconds().default(60), {
        description: "How long a client may take to send its whole request, in seconds.",
        env: ["STOA_HTTP_REQUEST_TIMEOUT"],
        flags: [],
      }),
    })
    .prefault({}),
  grpc: z
    .strictObject({
      enabled: setting(flag().default(true), {
        description: "Serve gRPC at all.",
        env: ["STOA_GRPC_ENABLED", "GRPC__ENABLED"],
        flags: ["--grpc"],
      }),
      host: setting(host().default("127.0.0.1"), {
        description: "The address that gRPC listens on.",
        env: ["STOA_GRPC_HOST", "GRPC__HOST"],
        flags: ["--grpc-host", "--host"],
      }),
      port: setting(port().default(3774), {
        description: "The port that every gRPC service listens on.",
        env: ["STOA_GRPC_PORT", "GRPC__PORT"],
        flags: ["--grpc-port"],
      }),
      maxMessageLength: setting(bytes().default(4_194_304), {
        description: "The largest message sent or received, in bytes.",
        env: ["STOA_GRPC_MAX_MESSAGE_LENGTH", "GRPC__MAX_MESSAGE_LENGTH"],
        flags: [],
      }),
      maxWorkers: setting(count().default(10), {
        description: "How many BinduService calls run at once; more wait in a queue.",
        env: ["STOA_GRPC_MAX_WORKERS", "GRPC__MAX_WORKERS"],
        flags: [],
      }),
      maxConcurrentCalls: setting(count().default(4096), {
        description: "How many calls and streams are open at once; one more is answered RESOURCE_EXHAUSTED.",
        env: ["STOA_GRPC_MAX_CONCURRENT_CALLS"],
        flags: [],
      }),
      handlerTimeout: setting(seconds().default(30), {
        description: "How long a registered agent may take to answer HandleMessages, in seconds.",
        env: ["STOA_GRPC_HANDLER_TIMEOUT", "GRPC__HANDLER_TIMEOUT"],
        flags: [],
      }),
      healthCheckInterval: setting(seconds().default(30), {
        description: "How often a registered agent is probed with HealthCheck, in seconds.",
        env: ["STOA_GRPC_HEALTH_CHECK_INTERVAL", "GRPC__HEALTH_CHECK_INTERVAL"],
        flags: [],
      }),
      tls: z
        .strictObject({
          certFile: setting(path().optional(), {
            description: "The server's certificate chain (PEM). Set it with `keyFile` to serve TLS.",
            env: ["STOA_GRPC_TLS_CERT_FILE"],
            flags: [],
          }),
          keyFile: setting(path().optional(), {
            description: "The private key of the certificate (PEM).",
            env: ["STOA_GRPC_TLS_KEY_FILE"],
            flags: [],
          }),
          clientCaFile: setting(path().optional(), {
            description:
              "The authority of client certificates (PEM). Set, every client must show one (mTLS).",
            env: ["STOA_GRPC_TLS_CLIENT_CA_FILE"],
            flags: [],
          }),
        })
        .prefault({}),
    })
    .prefault({}),
  database: z
    .strictObject({
      url: setting(databaseUrl().optional(), {
        description: "The PostgreSQL database. Without it the core keeps an SQLite file in the home folder.",
        env: ["DATABASE_URL"],
        flags: ["--database-url"],
        secret: "url",
      }),
      poolSize: setting(count().default(10), {
        description: "How many connections to PostgreSQL are kept at most.",
        env: ["STOA_DATABASE_POOL_SIZE"],
        flags: [],
      }),
      statementTimeout: setting(seconds().default(30), {
        description: "How long one statement may run on PostgreSQL, in seconds.",
        env: ["STOA_DATABASE_STATEMENT_TIMEOUT"],
        flags: [],
      }),
      connectAttempts: setting(count().default(10), {
        description: "How often an unreachable PostgreSQL is tried at start, with growing pauses.",
        env: ["STOA_DATABASE_CONNECT_ATTEMPTS"],
        flags: [],
      }),
    })
    .prefault({}),
  nats: z
    .strictObject({
      url: setting(natsUrl().optional(), {
        description: "The NATS server, or several, comma-separated. Without it the bus is in process.",
        env: ["NATS_URL"],
        flags: ["--nats-url"],
        secret: "url",
      }),
    })
    .prefault({}),
  auth: z
    .strictObject({
      acceptTimelessTokens: setting(flag().default(false), {
        description: "Accept the older form of the HMAC token, which carries no time and never expires.",
        env: ["STOA_AUTH_ACCEPT_TIMELESS_TOKENS"],
        flags: [],
      }),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: setting(choice(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"), {
        description: "The least severe kind of line that is logged.",
        env: ["STOA_LOG_LEVEL"],
        flags: ["--log-level"],
      }),
      format: setting(choice(["auto", "json", "pretty"]).default("auto"), {
        description: "How log lines look; `auto` is pretty on a terminal and JSON elsewhere.",
        env: ["STOA_LOG_FORMAT"],
        flags: ["--log-format"],
      }),
    })
    .prefault({}),
  telemetry: z
    .strictObject({
      otlpEndpoint: setting(httpUrl().optional(), {
        description: "Where traces are sent (OTLP over HTTP). Without it none are recorded.",
        env: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
        flags: [],
        secret: "url",
      }),
      serviceName: setting(text().default("stoa"), {
        description: "The name that this core has in traces.",
        env: ["OTEL_SERVICE_NAME"],
        flags: [],
      }),
      sampleRatio: setting(ratio().default(1), {
        description: "The share of traces that is recorded.",
        env: ["STOA_TELEMETRY_SAMPLE_RATIO"],
        flags: [],
      }),
    })
    .prefault({}),
});

/** The configuration in effect: every path absolute, every default filled in. */
export type Config = z.output<typeof configSchema>;
