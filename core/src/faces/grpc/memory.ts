import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Memory as MemoryService } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { type Principal, requireRole, requireWorkspace } from "#domain/identity";
import type { Memory, MemoryEntry } from "#domain/memory";
import type { ServiceImpl } from "#platform/grpc";
import { principalOf } from "./caller.ts";

export function memoryService({ memory }: { memory: Memory }): ServiceImpl<typeof MemoryService, Principal> {
  return {
    async listMemories({ workspaceId, category, limit, offset }, ctx) {
      const workspace = requireWorkspace(principalOf(ctx), workspaceId);
      const entries = await memory.list(workspace, { category, limit, offset });
      return { entries: entries.map(toMessage) };
    },
    async createMemory({ workspaceId, key, content, category }, ctx) {
      const principal = principalOf(ctx);
      requireRole(principal, "member");
      const entry = await memory.create(requireWorkspace(principal, workspaceId), { key, content, category });
      return { entry: toMessage(entry) };
    },
    async deleteMemory({ workspaceId, key }, ctx) {
      const principal = principalOf(ctx);
      requireRole(principal, "member");
      await memory.delete(requireWorkspace(principal, workspaceId), key);
      return {};
    },
  };
}

function toMessage({ key, content, category, createdAt, updatedAt }: MemoryEntry) {
  return {
    key,
    content,
    category,
    createdAt: timestampFromMs(createdAt),
    updatedAt: timestampFromMs(updatedAt),
  };
}
