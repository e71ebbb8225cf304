import type { ApiKeys, CreatedApiKey } from "./api-keys.ts";
import { defaultWorkspace } from "./principal.ts";

/**
 * The admin key that the first start of a core makes, so that a person can sign in. Undefined where a key was
 * ever made: a core whose keys were all revoked must not open itself again.
 */
export function bootstrapAdminKey(apiKeys: ApiKeys): Promise<CreatedApiKey | undefined> {
  return apiKeys.createFirst({
    name: "first admin",
    role: "admin",
    workspaceId: defaultWorkspace,
    userId: "admin",
  });
}
