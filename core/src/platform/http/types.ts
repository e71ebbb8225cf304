import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "#platform/log";
import type { Telemetry } from "#platform/telemetry";
import type { StatusPage } from "./status-page.ts";
import type { TlsFiles } from "./tls.ts";

export type Role = "viewer" | "member" | "admin";

/**
 * Who may use a route. Each role may do what the ones before it may; `none` is everybody; `local` is
 * everybody on this machine and viewers elsewhere. A route that says nothing is for viewers.
 */
export type RouteAuth = "none" | "local" | Role;

/** What the host has to know of a caller; the rest is the domain's. */
export interface HttpPrincipal {
  readonly role: Role;
}

/** Says who sent this header. Throws, or gives undefined, where it proves nobody. */
export type Authenticate<P extends HttpPrincipal> = (
  authorization: string | undefined,
  request: FastifyRequest,
) => Promise<P | undefined>;

/** Throws where the thing it looks after cannot do its work. */
export type ReadinessCheck = (signal: AbortSignal) => Promise<unknown>;

export interface HttpHostOptions<P extends HttpPrincipal = HttpPrincipal> {
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Without it every route that is not open is refused to everybody. */
  readonly authenticate?: Authenticate<P>;
  /** Largest body in bytes; a route's own `bodyLimit` goes before it. */
  readonly bodyLimit?: number;
  /** How long a client may take to send its headers. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take to send its whole request. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may be idle between requests. */
  readonly keepAliveTimeoutMs?: number;
  /** How long close waits for requests under way. */
  readonly drainTimeoutMs?: number;
  readonly tls?: TlsFiles;
  /** Shown in /openapi.json. */
  readonly version?: string;
  /** What the page at `/` shows; without it there is none. */
  readonly status?: () => StatusPage | Promise<StatusPage>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** What to change when the port is taken, for the message. */
  readonly setting?: string;
}

export interface HttpHost {
  /** Routes go here, before `listen`. */
  readonly app: FastifyInstance;
  /** Aborted when the host begins to close: streams that never end by themselves end on it. */
  readonly closing: AbortSignal;
  /** From now on /readyz asks this too. */
  addReadiness(name: string, check: ReadinessCheck): void;
  /** Throws where a route's schema is none. Otherwise the route's first request would be the one to tell. */
  compileSchemas(): Promise<void>;
  listen(options: ListenOptions): Promise<{ port: number }>;
  /** Takes no new requests, lets those under way finish within the drain time, and closes every socket. */
  close(): Promise<void>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    auth?: RouteAuth;
  }
  interface FastifyRequest {
    /** Who calls; undefined on a route that is open. */
    principal: HttpPrincipal | undefined;
  }
}
