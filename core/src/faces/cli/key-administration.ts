import { randomBytes } from "node:crypto";
import { type ApiKey, ApiKeys, type CreatedApiKey, type NewApiKey } from "#domain/identity";
import { createLedger } from "#domain/ledger";
import { createLogger } from "#platform/log";
import type { Store } from "#platform/store";
import type { CoreClient } from "./core-client.ts";

/** Keys, wherever they are reached: through the core that has the database open, or in the database. */
export interface KeyAdministration {
  create(request: NewApiKey): Promise<CreatedApiKey>;
  list(workspaceId?: string): Promise<ApiKey[]>;
  revoke(id: string): Promise<ApiKey>;
}

/** Whom a core takes the operator's command line for, so that the ledger says the same without one. */
const operator = "local";

export function keysOfStore(store: Store, home: string): KeyAdministration {
  const ledger = createLedger({ store, home, log: createLogger({ level: "error", format: "auto" }) });
  const keys = new ApiKeys({ store, ledger, clock: Date.now, random: randomBytes });
  return {
    create: (request) => keys.create(request, operator),
    list: (workspaceId) => keys.list(workspaceId),
    revoke: (id) => keys.revoke(id, operator),
  };
}

export function keysOfCore(core: CoreClient): KeyAdministration {
  return {
    create: async (request) => (await core.request("POST", "/api/v1/keys", request)) as CreatedApiKey,
    async list(workspaceId) {
      const query = workspaceId === undefined ? "" : `?workspaceId=${encodeURIComponent(workspaceId)}`;
      const answer = await core.request("GET", `/api/v1/keys${query}`);
      return (answer as { keys: ApiKey[] }).keys;
    },
    revoke: async (id) => (await core.request("DELETE", `/api/v1/keys/${encodeURIComponent(id)}`)) as ApiKey,
  };
}
