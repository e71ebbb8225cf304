import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type CapabilitiesConfig, parseCapabilitiesConfig } from "#domain/contracts/capabilities";
import { StoaError } from "#platform/errors";
import type { Revision } from "./revision.ts";

export const declarationFile = "capabilities.yaml";
const maxBytes = 1_000_000;

/** Reads what an agent declares. @throws StoaError NOT_FOUND, FILE_INVALID */
export async function readDeclared(path: string, agentId?: string): Promise<CapabilitiesConfig> {
  const declared = await readDeclaredIfThere(path, agentId);
  if (declared) return declared;
  throw new StoaError("NOT_FOUND", `${path} is not there. Check the path, or the name of the agent.`, {
    details: { file: path },
  });
}

export async function readDeclaredIfThere(
  path: string,
  agentId?: string,
): Promise<CapabilitiesConfig | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  return parseCapabilitiesConfig(text, { file: path, ...(agentId === undefined ? {} : { agentId }) });
}

/** What an agent declared at a revision; undefined where it had no such file. */
export async function readDeclaredAt(
  revision: Revision,
  folder: string,
  file: string,
): Promise<CapabilitiesConfig | undefined> {
  const text = await revision.textOf(folder, file);
  return text === undefined ? undefined : parseCapabilitiesConfig(text, { file: `${revision.name}:${file}` });
}

/** Ids of the agents of a fleet that declare something, now or at a revision. */
export async function declaringAgents(root: string, revision: Revision): Promise<string[]> {
  const ids = new Set<string>();
  const folders = await readdir(join(root, "agents"), { withFileTypes: true }).catch(() => []);
  for (const folder of folders) {
    const path = join(root, "agents", folder.name, declarationFile);
    if (folder.isDirectory() && (await textOf(path)) !== undefined) ids.add(folder.name);
  }
  for (const file of await revision.filesIn(root, "agents")) {
    const id = /^agents\/([^/]+)\/capabilities\.yaml$/.exec(file)?.[1];
    if (id !== undefined) ids.add(id);
  }
  return [...ids].sort();
}

async function textOf(path: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    // Not blocking: opening a pipe that nobody writes to would wait forever.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new StoaError("FILE_INVALID", `${path} cannot be read: ${code}.`, { cause });
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new StoaError("FILE_INVALID", `${path} is no file.`);
    if (stat.size > maxBytes) {
      throw new StoaError("FILE_INVALID", `${path} is larger than ${maxBytes} bytes.`);
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
