import { userInfo } from "node:os";
import type { Command } from "commander";
import { defaultWorkspace } from "#domain/identity";
import {
  type Checkpoint,
  type Continuation,
  createLedger,
  type Erased,
  type ExportPage,
  type LedgerPage,
  type LedgerQuery,
  type Progress,
  type Proof,
  type VerifyReport,
} from "#domain/ledger";
import { createLogger } from "#platform/log";
import type { Store } from "#platform/store";
import type { CliContext } from "../context.ts";
import type { CoreClient } from "../core-client.ts";
import { readVerification } from "./verification.ts";

/** The ledger of one workspace, wherever it is reached: through the core that has it open, or in the database. */
export interface AuditAccess {
  query(query: Omit<LedgerQuery, "workspaceId">): Promise<LedgerPage>;
  verify(options: {
    from?: number | undefined;
    onProgress: (progress: Progress) => void;
    signal: AbortSignal;
  }): Promise<VerifyReport>;
  prove(id: string, options: { withoutPayload?: boolean | undefined }): Promise<Proof>;
  proveContinuation(from: number): Promise<Continuation>;
  exportPage(from: number, signal?: AbortSignal): Promise<ExportPage>;
  erase(what: { records?: string[]; subject?: string; reason: string }): Promise<Erased>;
  checkpoints(limit: number): Promise<Checkpoint[]>;
  publicKeys(): Promise<{ id: string; pem: string }[]>;
}

export async function withAudit<T>(
  context: CliContext,
  command: Command,
  fn: (access: AuditAccess) => Promise<T>,
): Promise<T> {
  const loaded = await context.loadConfig(command);
  const { workspace } = command.opts<{ workspace?: string }>();
  const core = await context.findCore(loaded);
  if (core) return fn(auditOfCore(core, workspace));
  const store = await context.openStore(loaded);
  try {
    return await fn(auditOfStore(store, loaded.config.home, workspace ?? defaultWorkspace));
  } finally {
    await store.close();
  }
}

function auditOfStore(store: Store, home: string, workspaceId: string): AuditAccess {
  const ledger = createLedger({ store, home, log: createLogger({ level: "error", format: "auto" }) });
  return {
    query: (query) => ledger.query({ ...query, workspaceId }),
    verify: (options) => ledger.verify({ ...options, workspaceId }),
    prove: (id, options) => ledger.prove({ ...options, workspaceId, id }),
    proveContinuation: (from) => ledger.proveContinuation({ workspaceId, from }),
    async exportPage(from) {
      // No core is there to do it.
      await ledger.sequence(workspaceId);
      return ledger.exportPage({ workspaceId, from });
    },
    erase: (what) => ledger.erase({ ...what, workspaceId, by: `${userInfo().username} at the command line` }),
    checkpoints: (limit) => ledger.checkpoints(workspaceId, limit),
    publicKeys: () => ledger.publicKeys(),
  };
}

function auditOfCore(core: CoreClient, workspaceId: string | undefined): AuditAccess {
  const get = (path: string, query: object, signal?: AbortSignal) => {
    const present = Object.entries({ workspaceId, ...query }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    return core.request("GET", `/api/v1/audit/${path}?${new URLSearchParams(present)}`, undefined, signal);
  };
  return {
    query: async (query) => (await get("records", query)) as LedgerPage,
    verify: ({ from, ...options }) => readVerification(core, { workspaceId, from }, options),
    prove: async (id, options) => (await get(`records/${encodeURIComponent(id)}/proof`, options)) as Proof,
    proveContinuation: async (from) => (await get("continuation", { from })) as Continuation,
    exportPage: async (from, signal) => (await get("export", { from }, signal)) as ExportPage,
    erase: async (what) =>
      (await core.request("POST", "/api/v1/audit/erase", { workspaceId, ...what })) as Erased,
    checkpoints: async (limit) =>
      ((await get("checkpoints", { limit })) as { checkpoints: Checkpoint[] }).checkpoints,
    publicKeys: async () =>
      ((await core.request("GET", "/api/v1/audit/keys")) as { keys: { id: string; pem: string }[] }).keys,
  };
}
