import { type Authenticator, defaultWorkspace, type Principal } from "#domain/identity";
import { StoaError } from "#platform/errors";

/**
 * Some doors are open on loopback: SDKs register without a key, and A2A clients of agents send none. A caller
 * who shows no credential there is a stranger of the default workspace, with a member's rights and no name; other
 * workspaces are closed to them. A credential that is shown must hold; a wrong one never turns into a stranger.
 */
export async function callerOrStranger(
  authorization: string | undefined,
  authenticator: Authenticator,
  strangersAllowed: boolean,
): Promise<Principal> {
  if (authorization !== undefined && authorization !== "") return authenticator.authenticate(authorization);
  if (!strangersAllowed) {
    throw new StoaError(
      "UNAUTHENTICATED",
      "No credential was sent. Send `authorization: Bearer <token or API key>`.",
    );
  }
  return { kind: "token", workspaceId: defaultWorkspace, userId: "anonymous", role: "member" };
}
