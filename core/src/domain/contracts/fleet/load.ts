import { realpath } from "node:fs/promises";
import { agentIdPattern, readCapabilitiesConfig } from "#domain/contracts/capabilities";
import { readManifest } from "#domain/contracts/manifest";
import {
  type FileProblem,
  fileInvalid,
  fileProblemText,
  inOrder,
  type Position,
  Problems,
  parseYaml,
  positionOf,
  startOfFile,
} from "#domain/contracts/yaml";
import { StoaError } from "#platform/errors";
import { type AgentFile, readAgentFile } from "./agent-file.ts";
import { crossCheck } from "./cross-check.ts";
import { FleetFiles, isInside } from "./files.ts";
import { type FleetFile, readFleetFile } from "./fleet-file.ts";
import { readPeersFile } from "./peers-file.ts";
import { FLEET_FILE } from "./root.ts";
import type { Fleet, FleetAgent, FleetSkill, FleetToolCapability, RpcPeer } from "./types.ts";

export interface FleetCheck {
  /** Absent where there are problems. */
  readonly fleet?: Fleet;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  /** Every file that was looked at, from the root. */
  readonly files: readonly string[];
}

/**
 * Loads the fleet whose fleet.yaml is in this folder.
 * @throws StoaError FILE_INVALID with every problem of every file in `details.problems`.
 */
export async function loadFleet(root: string): Promise<Fleet> {
  const { fleet, problems } = await checkFleet(root);
  if (fleet) return fleet;
  const { details } = fileInvalid(problems);
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const list = problems.map((problem) => `  ${fileProblemText(problem)}`).join("\n");
  throw new StoaError("FILE_INVALID", `The fleet in ${root} has ${count}:\n${list}`, { details });
}

/** Reads everything and reports every problem at once. */
export async function checkFleet(root: string): Promise<FleetCheck> {
  const files = new FleetFiles(await realpath(root).catch(() => root));
  const fleetFile = await readFleet(files);
  const capabilities = await eachFolder(files, "capabilities", (id) => readToolCapability(files, id));
  const agents = await eachFolder(files, "agents", (id) => readAgent(files, id));
  const rpcPeers = await readPeers(files, "rpc-peers.yaml");
  if (fleetFile) {
    const broken = { agents: agents.broken, capabilities: capabilities.broken };
    crossCheck(files, fleetFile, agents.found, capabilities.found, rpcPeers, broken);
  }
  const { read } = files;
  const [problems, warnings] = [byFile(files.errors), byFile(files.warnings)];
  if (problems.length > 0 || !fleetFile) return { problems, warnings, files: read };
  const fleet: Fleet = {
    root: files.root,
    name: fleetFile.name,
    ...(fleetFile.manager && { manager: fleetFile.manager.id }),
    agents: agents.found.map(({ agent }) => agent),
    toolCapabilities: capabilities.found,
    rpcPeers,
    warnings,
  };
  return { fleet, problems, warnings, files: read };
}

/** The fleet's own file first, then the others by name, each from top to bottom. */
function byFile(problems: readonly FileProblem[]): FileProblem[] {
  const rank = ({ file }: FileProblem) => (file === FLEET_FILE ? "" : file);
  return inOrder(problems).toSorted((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}

async function readFleet(files: FleetFiles): Promise<FleetFile | undefined> {
  const text = await files.text(FLEET_FILE);
  if (text !== undefined) return parsed(files, FLEET_FILE, (problems) => readFleetFile(text, problems));
  if (files.errors.length === 0) files.error(FLEET_FILE, "there is no fleet.yaml in this folder");
  return undefined;
}

/** Each folder in `agents/` or `capabilities/` is one thing, called like the folder. */
async function eachFolder<T>(
  files: FleetFiles,
  folder: string,
  read: (id: string) => Promise<T | undefined>,
): Promise<{ found: T[]; broken: string[] }> {
  const found: T[] = [];
  const broken: string[] = [];
  for (const { name, isFolder } of await files.list(folder)) {
    if (!isFolder) {
      files.warn(`${folder}/${name}`, "this file is not looked at: each folder here is one of its kind");
      continue;
    }
    const one = await read(name);
    if (one) found.push(one);
    else broken.push(name);
  }
  return { found, broken };
}

/** An agent with the places of the names in it, for the checks across files. */
export interface ReadAgent {
  readonly agent: FleetAgent;
  readonly file: AgentFile;
  readonly path: string;
}

async function readAgent(files: FleetFiles, id: string): Promise<ReadAgent | undefined> {
  const folder = `agents/${id}`;
  const path = `${folder}/agent.yaml`;
  if (!agentIdPattern.test(id)) {
    files.error(folder, `"${id}" cannot be an agent's id: use letters, digits, - and _, at most 64`);
    return undefined;
  }
  const before = files.errors.length;
  const text = await files.text(path);
  if (text === undefined) {
    if (files.errors.length === before) files.error(path, `agent ${id} has no agent.yaml`);
    return undefined;
  }
  const file = parsed(files, path, (problems) => readAgentFile(text, id, problems));
  const declaration = await files.text(`${folder}/capabilities.yaml`);
  const capabilities =
    declaration === undefined
      ? undefined
      : parsed(files, `${folder}/capabilities.yaml`, (problems) =>
          readCapabilitiesConfig(declaration, problems, { agentId: id }),
        );
  const skills = await readSkills(files, `${folder}/skills`);
  const rpcPeers = await readPeers(files, `${folder}/rpc-peers.yaml`);
  if (!file) return undefined;
  const prompt = file.prompt ?? (await files.text(`${folder}/prompt.md`));
  const agent: FleetAgent = {
    id,
    folder: files.path(folder),
    description: file.description,
    ...(file.model === undefined ? {} : { model: file.model }),
    ...(prompt === undefined ? {} : { prompt }),
    tools: file.tools.map(({ text: tool }) => tool),
    peers: file.peers.map(({ text: peer }) => peer),
    policies: new Map(file.policies.map(({ text: tool, policy }) => [tool, policy])),
    ...(capabilities && { capabilities }),
    skills,
    rpcPeers,
  };
  return { agent, file, path };
}

/** A skill is `skills/<name>.md`, or `skills/<name>/SKILL.md` where it brings files along. */
async function readSkills(files: FleetFiles, folder: string): Promise<FleetSkill[]> {
  const skills: FleetSkill[] = [];
  for (const { name, isFolder } of await files.list(folder)) {
    if (!isFolder && !name.endsWith(".md")) continue;
    const text = await files.text(isFolder ? `${folder}/${name}/SKILL.md` : `${folder}/${name}`);
    if (text !== undefined) skills.push({ name: isFolder ? name : name.slice(0, -".md".length), text });
  }
  return skills;
}

async function readPeers(files: FleetFiles, path: string): Promise<RpcPeer[]> {
  const text = await files.text(path);
  return text === undefined ? [] : parsed(files, path, (problems) => readPeersFile(text, problems));
}

async function readToolCapability(files: FleetFiles, id: string): Promise<FleetToolCapability | undefined> {
  const folder = `capabilities/${id}`;
  const path = `${folder}/manifest.yaml`;
  const before = files.errors.length;
  const text = await files.text(path);
  if (text === undefined) {
    if (files.errors.length === before) files.error(path, `capability ${id} has no manifest.yaml`);
    return undefined;
  }
  const manifest = parsed(files, path, (problems) => readManifest(text, problems, { folder: id }));
  if (!manifest) return undefined;
  if (manifest.image.kind === "file") {
    const wrong = await programProblem(files, folder, manifest.image.path);
    if (wrong) parsed(files, path, (problems) => problems.error(placeOf(text, "/image"), wrong));
  }
  return { manifest, folder: files.path(folder), prompts: await readPrompts(files, folder) };
}

async function programProblem(
  files: FleetFiles,
  folder: string,
  program: string,
): Promise<string | undefined> {
  const [home, real] = await Promise.all(
    [files.path(folder), files.path(`${folder}/${program}`)].map((path) =>
      realpath(path).catch(() => undefined),
    ),
  );
  if (real === undefined) return `the program ${program} does not exist in ${folder}`;
  const inside = home !== undefined && isInside(home, real);
  return inside ? undefined : `the program ${program} is a link that leads out of ${folder}`;
}

/** Where something stands in a file that was read without a problem. */
function placeOf(text: string, path: string): Position {
  const value = parseYaml(text, new Problems(""));
  return value ? positionOf(value, path) : startOfFile;
}

async function readPrompts(files: FleetFiles, folder: string): Promise<Map<string, string>> {
  const prompts = new Map<string, string>();
  for (const { name } of await files.list(folder)) {
    const match = /^prompt(?:\.([A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*))?\.md$/.exec(name);
    const text = match && (await files.text(`${folder}/${name}`));
    if (match && typeof text === "string") prompts.set(match[1] ?? "", text);
  }
  return prompts;
}

function parsed<T>(files: FleetFiles, file: string, read: (problems: Problems) => T): T {
  const problems = new Problems(file);
  const result = read(problems);
  files.take(problems);
  return result;
}
