import { basename, dirname, join } from "node:path";
import { type Comparison, compareCapabilities } from "./compare.ts";
import {
  declarationFile,
  declaringAgents,
  readDeclared,
  readDeclaredAt,
  readDeclaredIfThere,
} from "./declared.ts";
import { Revision } from "./revision.ts";

export interface AgentComparison extends Comparison {
  readonly agent: string;
  /** The declaration as it is now. */
  readonly file: string;
}

/** Compares a capabilities.yaml with another file. */
export async function compareWithFile(file: string, before: string): Promise<AgentComparison> {
  const [old, now] = [await readDeclared(before), await readDeclared(file)];
  return { agent: now.agent, file, ...compareCapabilities(old.capabilities, now.capabilities) };
}

/** Compares a capabilities.yaml with what it was at a git ref. A file that was not there declared nothing. */
export async function compareWithRevision(file: string, ref: string): Promise<AgentComparison> {
  const now = await readDeclared(file);
  const revision = await Revision.find(ref, dirname(file));
  const old = await readDeclaredAt(revision, dirname(file), basename(file));
  return { agent: now.agent, file, ...compareCapabilities(old?.capabilities ?? [], now.capabilities) };
}

/** Compares every agent of a fleet, those that are gone as well. */
export async function compareFleet(root: string, ref: string): Promise<AgentComparison[]> {
  const revision = await Revision.find(ref, root);
  const compared: AgentComparison[] = [];
  for (const id of await declaringAgents(root, revision)) {
    const file = `agents/${id}/${declarationFile}`;
    const now = await readDeclaredIfThere(join(root, file), id);
    const old = await readDeclaredAt(revision, root, file);
    compared.push({
      agent: `agent://${id}`,
      file: join(root, file),
      ...compareCapabilities(old?.capabilities ?? [], now?.capabilities ?? []),
    });
  }
  return compared;
}
