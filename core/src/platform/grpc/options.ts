import type { Logger } from "#platform/log";
import type { Telemetry } from "#platform/telemetry";
import type { Limit } from "./limits.ts";
import type { Authenticate } from "./reception.ts";
import type { ServerTls } from "./tls.ts";

export interface GrpcHostOptions<P> {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** A unix socket to listen on, instead of host and port. */
  readonly path?: string | undefined;
  readonly log: Logger;
  readonly telemetry?: Pick<Telemetry, "registry" | "tracer" | "tracing"> | undefined;
  /** Says who calls; throws UNAUTHENTICATED where that is not shown. Health and reflection are open to all. */
  readonly authenticate?: Authenticate<P> | undefined;
  readonly tls?: ServerTls | undefined;
  /** In bytes, in either direction. */
  readonly maxMessageLength?: number | undefined;
  /** Calls and streams open at once; one more is answered RESOURCE_EXHAUSTED. */
  readonly maxConcurrentCalls?: number | undefined;
  /** How often a silent connection is asked for a sign of life, and how long it may take to give one. */
  readonly keepaliveTimeMs?: number | undefined;
  readonly keepaliveTimeoutMs?: number | undefined;
  /** What the settings are called where a user finds them, for messages. */
  readonly settings?: Partial<Settings> | undefined;
}

export interface AddOptions extends Partial<Limit> {
  /** False: everybody may call. */
  readonly authenticate?: boolean;
  /** False: its calls do not count towards the host's limit. */
  readonly limited?: boolean;
}

export interface Settings {
  readonly host: string;
  readonly port: string;
  readonly maxMessageLength: string;
  readonly maxConcurrentCalls: string;
}

export const defaultSettings: Settings = {
  host: "grpc.host (STOA_GRPC_HOST)",
  port: "grpc.port (STOA_GRPC_PORT, --grpc-port)",
  maxMessageLength: "grpc.maxMessageLength (STOA_GRPC_MAX_MESSAGE_LENGTH)",
  maxConcurrentCalls: "grpc.maxConcurrentCalls (STOA_GRPC_MAX_CONCURRENT_CALLS)",
};
