import type { FastifyInstance, FastifyRequest } from "fastify";
import { isLoopback } from "#platform/config";
import { StoaError } from "#platform/errors";
import type { Authenticate, HttpPrincipal, Role } from "./types.ts";

const rank: Record<Role, number> = { viewer: 0, member: 1, admin: 2 };

/** Finds out who calls before a byte of the body is read, and lets nobody pass who may not. */
export function registerAccess<P extends HttpPrincipal>(
  app: FastifyInstance,
  authenticate: Authenticate<P> | undefined,
): void {
  app.decorateRequest("principal", undefined);
  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    const needed = request.routeOptions.config.auth ?? "viewer";
    if (needed === "none" || (needed === "local" && isLocal(request))) return;
    const principal = await authenticate?.(request.headers.authorization, request);
    if (principal === undefined) {
      throw new StoaError(
        "UNAUTHENTICATED",
        "This address needs a credential. Send `authorization: Bearer <token or API key>`.",
      );
    }
    request.principal = principal;
    requireRole(principal.role, needed === "local" ? "viewer" : needed);
  });
}

function requireRole(role: Role, needed: Role): void {
  if (rank[role] >= rank[needed]) return;
  throw new StoaError("PERMISSION_DENIED", `This needs the role ${needed}; the caller is ${role}.`, {
    details: { needed, role },
  });
}

/**
 * Whether only somebody on this machine can have sent this: the listener is on loopback, and the request
 * was meant for it by a loopback name. The name matters: a web page can let its own name point to
 * 127.0.0.1, and would read what this machine's user may read.
 */
export function isLocal(request: FastifyRequest): boolean {
  const { localAddress } = request.raw.socket;
  return localAddress !== undefined && isLoopback(localAddress) && isLoopbackName(request.headers.host);
}

function isLoopbackName(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  const name = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isLoopback(name) || name.endsWith(".localhost");
}
