import { StoaError } from "#platform/errors";
import type { ApiKeys } from "./api-keys.ts";
import { type LocalCredential, localPrefix } from "./local-credential.ts";
import { defaultWorkspace, type Principal } from "./principal.ts";
import { checkToken } from "./token.ts";
import type { Workspaces } from "./workspaces.ts";

export interface AuthenticatorOptions {
  readonly signingKeys: readonly string[];
  readonly apiKeys: Pick<ApiKeys, "verify">;
  readonly workspaces: Pick<Workspaces, "ensure">;
  readonly clock: () => number;
  readonly local?: LocalCredential;
  readonly acceptTimelessTokens?: boolean;
}

export interface Authenticator {
  /** Who sent this `authorization` header. Every refusal is UNAUTHENTICATED. */
  authenticate(authorization: string | undefined): Promise<Principal>;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  return {
    async authenticate(authorization) {
      const credential = bearer(authorization);
      if (credential.startsWith(localPrefix)) return checkLocal(credential, options.local);
      // No token begins like this: its payload would not be UTF-8 text.
      if (credential.startsWith("stoa_")) return options.apiKeys.verify(credential);
      const claims = checkToken(credential, {
        keys: options.signingKeys,
        unixSeconds: Math.floor(options.clock() / 1000),
        acceptTimeless: options.acceptTimelessTokens ?? false,
      });
      await options.workspaces.ensure(claims.workspaceId);
      return { kind: "token", workspaceId: claims.workspaceId, userId: claims.userId, role: "member" };
    },
  };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === "") {
    throw new StoaError(
      "UNAUTHENTICATED",
      "No credential was sent. Send `authorization: Bearer <token or API key>`.",
    );
  }
  const [, credential] = /^\s*Bearer[ \t]+(\S+)\s*$/i.exec(authorization) ?? [];
  if (credential === undefined) {
    throw new StoaError("UNAUTHENTICATED", "The credential has not the form `Bearer <token or API key>`.");
  }
  return credential;
}

function checkLocal(credential: string, local: LocalCredential | undefined): Principal {
  if (!local?.matches(credential)) {
    throw new StoaError(
      "UNAUTHENTICATED",
      "The credential of the command line is not this core's; it changes at each start. Run the command again.",
    );
  }
  return { kind: "local", workspaceId: defaultWorkspace, userId: "local", role: "admin" };
}
