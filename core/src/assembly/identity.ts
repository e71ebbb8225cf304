import { randomBytes } from "node:crypto";
import {
  ApiKeys,
  type Authenticator,
  bootstrapAdminKey,
  createAuthenticator,
  loadSigningKeys,
  rotateLocalCredential,
  Workspaces,
} from "#domain/identity";
import type { Ledger } from "#domain/ledger";
import { assertExposureAllowed, wideListeners } from "#platform/config";
import type { Platform } from "./platform.ts";

export interface Identity {
  readonly apiKeys: ApiKeys;
  readonly authenticator: Authenticator;
  readonly adminKey?: string;
}

export async function openIdentity(
  { config, store, clock, log }: Platform,
  ledger: Ledger,
): Promise<Identity> {
  const workspaces = new Workspaces({ store, clock });
  const apiKeys = new ApiKeys({ store, ledger, clock, random: randomBytes });
  assertExposureAllowed(config, { apiKeys: await apiKeys.countUsable() });
  await workspaces.ensure("default");
  const signing = loadSigningKeys(config.signingKeys, config.home);
  for (const warning of signing.warnings) log.warn(warning);
  const authenticator = createAuthenticator({
    signingKeys: signing.keys,
    apiKeys,
    workspaces,
    clock,
    local: rotateLocalCredential(config.home),
    acceptTimelessTokens: config.auth.acceptTimelessTokens,
  });
  // Beyond loopback somebody has decided already who may call; a key printed there would only leak.
  const first = wideListeners(config).length === 0 ? await bootstrapAdminKey(apiKeys) : undefined;
  return { apiKeys, authenticator, ...(first === undefined ? {} : { adminKey: first.key }) };
}
