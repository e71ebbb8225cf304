export { isLocal } from "./access.ts";
export type { ErrorEnvelope } from "./envelope.ts";
export { createHttpHost } from "./host.ts";
export type { StatusPage } from "./status-page.ts";
export type { TlsFiles } from "./tls.ts";
export type {
  Authenticate,
  HttpHost,
  HttpHostOptions,
  HttpPrincipal,
  ListenOptions,
  ReadinessCheck,
  Role,
  RouteAuth,
} from "./types.ts";
