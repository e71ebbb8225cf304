import { StoaError } from "#platform/errors";
import { checkUserId, checkWorkspaceId } from "./ids.ts";

export type Role = "admin" | "member" | "viewer";
export const roles = ["viewer", "member", "admin"] as const satisfies readonly Role[];

/** Who is calling, once that is proven. */
export interface Principal {
  /** `token`: an HMAC bearer token. `key`: an API key. `local`: the command line on the core's own home. */
  readonly kind: "token" | "key" | "local";
  readonly workspaceId: string;
  readonly userId: string;
  readonly role: Role;
  readonly keyId?: string;
}

export const defaultWorkspace = "default";

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Each role may do what the ones below it may. */
export function hasRole(principal: Principal, needed: Role): boolean {
  return roles.indexOf(principal.role) >= roles.indexOf(needed);
}

export function requireRole(principal: Principal, needed: Role): void {
  if (hasRole(principal, needed)) return;
  throw new StoaError(
    "PERMISSION_DENIED",
    `This needs the role ${needed}; the caller is ${principal.role} in the workspace ${principal.workspaceId}.`,
    { details: { needed, role: principal.role } },
  );
}

/**
 * The workspace that a request is about: the caller's own where it names none. A caller cannot reach into
 * another workspace by naming it; only the operator's command line may.
 */
export function requireWorkspace(principal: Principal, requested: string | undefined): string {
  if (requested === undefined || requested === "") return principal.workspaceId;
  if (requested === principal.workspaceId) return requested;
  if (principal.kind === "local") return checkWorkspaceId(requested);
  throw new StoaError(
    "PERMISSION_DENIED",
    "The workspace of the request is not the workspace that the caller belongs to.",
  );
}

/** As `requireWorkspace`, for the user that a request says it speaks for. */
export function requireUser(principal: Principal, requested: string | undefined): string {
  if (requested === undefined || requested === "") return principal.userId;
  // A token is minted for one user by a backend; a key or the command line speaks for whom it says.
  if (requested === principal.userId) return requested;
  if (principal.kind !== "token") return checkUserId(requested);
  throw new StoaError(
    "PERMISSION_DENIED",
    "The user of the request is not the user that the token was minted for.",
  );
}
