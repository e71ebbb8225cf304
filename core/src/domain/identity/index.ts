export {
  type ApiKey,
  ApiKeys,
  type ApiKeysDependencies,
  type CreatedApiKey,
  type NewApiKey,
} from "./api-keys.ts";
export { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "./authenticator.ts";
export { bootstrapAdminKey } from "./bootstrap.ts";
export {
  checkUserId,
  checkWorkspaceId,
  isUserId,
  isWorkspaceId,
  userIdRule,
  workspaceIdRule,
} from "./ids.ts";
export { type LocalCredential, readLocalCredential, rotateLocalCredential } from "./local-credential.ts";
export {
  defaultWorkspace,
  hasRole,
  isRole,
  type Principal,
  type Role,
  requireRole,
  requireUser,
  requireWorkspace,
  roles,
} from "./principal.ts";
export { loadSigningKeys, readSigningKeys, type SigningKeys, signingKeyPath } from "./signing-keys.ts";
export {
  checkToken,
  mintToken,
  type TokenClaims,
  type TokenRules,
  type TokenSubject,
  tokenToleranceSeconds,
} from "./token.ts";
export { type Workspace, Workspaces } from "./workspaces.ts";
