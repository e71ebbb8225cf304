import { createHash } from "node:crypto";

/** The published rule: the first 32 hex digits of SHA-256 over `author:name`, written as a UUID. */
export function agentIdOf(author: string, name: string): string {
  const hex = createHash("sha256").update(`${author}:${name}`, "utf8").digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

export function didOf(author: string, name: string, agentId: string): string {
  return ["did", "bindu", ...[author, name, agentId].map(didPart)].join(":");
}

function didPart(text: string): string {
  return text.toLowerCase().replaceAll(" ", "_").replaceAll("@", "_at_").replaceAll(".", "_");
}
