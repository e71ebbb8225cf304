import { Fields, fromPlain, kindOf, Problems, parseYaml, quote } from "#domain/contracts/yaml";
import { parseHost } from "./hosts.ts";
import { parseImage } from "./image.ts";
import { readTools } from "./tools.ts";
import type {
  AllowedHost,
  Manifest,
  ManifestCredential,
  ManifestResources,
  ManifestSharing,
} from "./types.ts";

export const capabilityIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads a manifest.yaml. Fields that mean nothing here are warnings, not failures.
 * @throws StoaError FILE_INVALID with every problem in `details.problems`.
 */
export function parseManifest(text: string, options: { readonly file?: string } = {}): Manifest {
  const problems = new Problems(options.file ?? "manifest.yaml");
  const manifest = readManifest(text, problems);
  problems.throwIfAny();
  if (!manifest) throw new Error("unreachable: no manifest and no problem");
  return manifest;
}

/** The same for callers that collect problems from many files. */
export function readManifest(
  raw: unknown,
  problems: Problems,
  /** The folder it lies in; the file must agree. */
  options: { readonly folder?: string } = {},
): Manifest | undefined {
  const value = typeof raw === "string" ? parseYaml(raw, problems) : fromPlain(raw, problems);
  if (!value) return undefined;
  if (value.kind !== "map") {
    problems.error(value, `the file must be a map, not ${kindOf(value)}`);
    return undefined;
  }
  const fields = new Fields(value, problems);
  fields.require("id");
  const id = fields.string("id", {
    pattern: capabilityIdPattern,
    must: "lower-case letters, digits and hyphens, at most 63",
  });
  if (id !== undefined && options.folder !== undefined && id !== options.folder) {
    const message = `"id" is ${quote(id)}, but the folder is capabilities/${options.folder}; they must agree`;
    problems.error(fields.at("id"), message);
  }
  const kind = fields.oneOf("class", ["tool", "environment"]) ?? "tool";
  const image = readImage(fields);
  const tools = readToolSource(fields);
  const network = readNetwork(fields);
  const filesystem = fields.oneOf("filesystem", ["none", "temp", "workspace"]) ?? "none";
  if (filesystem === "workspace" && kind !== "environment") {
    problems.error(fields.at("filesystem"), 'filesystem "workspace" is only for class "environment"');
  }
  const credentials = readCredentials(fields);
  const resources = readResources(fields);
  const cache = readCache(fields, kind);
  const sharing = readSharing(fields, kind);
  fields.rest("warning");
  if (problems.errors.length > 0 || id === undefined || image === undefined) return undefined;
  return {
    id,
    class: kind,
    image,
    ...tools,
    network,
    filesystem,
    credentials,
    resources,
    cache,
    sharing,
    warnings: problems.warnings,
  };
}

function readImage(fields: Fields): Manifest["image"] | undefined {
  fields.require("image");
  const text = fields.string("image");
  const image = text === undefined ? undefined : parseImage(text);
  if (typeof image !== "string") return image;
  fields.problems.error(fields.at("image"), `"image" ${quote(text)} cannot be used: ${image}`);
  return undefined;
}

function readToolSource(fields: Fields): Pick<Manifest, "toolSource" | "discoveryToolName" | "tools"> {
  const { problems } = fields;
  const toolSource = fields.oneOf("tool_source", ["manifest", "dynamic"]) ?? "manifest";
  const named = fields.string("discovery_tool_name", {
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    must: "1 to 64 letters, digits, - and _",
  });
  const declared = fields.list("tools")?.items.length ?? 0;
  const tools = readTools(fields, "tools");
  if (toolSource === "dynamic" && declared > 0) {
    problems.error(fields.at("tools"), '"tools" must be empty where tool_source is "dynamic"');
  }
  if (toolSource === "manifest" && declared === 0) {
    problems.error(fields.at("tools"), 'no "tools": declare at least one, or set tool_source to "dynamic"');
  }
  if (toolSource === "manifest" && named !== undefined) {
    problems.warn(fields.at("discovery_tool_name"), "discovery_tool_name is used with dynamic tools only");
  }
  return { toolSource, discoveryToolName: named ?? "list_tools", tools };
}

function readNetwork(fields: Fields): Manifest["network"] {
  const network = fields.fields("network");
  if (!network) return { mode: "none", hosts: [] };
  const mode = network.oneOf("mode", ["none", "allowlist", "any"]) ?? "none";
  const hosts: AllowedHost[] = [];
  for (const { text, at } of network.strings("hosts")) {
    const host = parseHost(text);
    if (typeof host === "string") network.problems.error(at, `host ${quote(text)} cannot be used: ${host}`);
    else hosts.push(host);
  }
  network.rest("warning");
  if (mode !== "allowlist" && hosts.length > 0) {
    network.problems.warn(network.at("hosts"), `hosts are not looked at in network mode ${quote(mode)}`);
  }
  return { mode, hosts };
}

function readCredentials(fields: Fields): ManifestCredential[] {
  const seen = new Set<string>();
  return fields.eachFields("credentials").flatMap((entry) => {
    for (const key of ["name", "scope"]) entry.require(key);
    const name = entry.string("name", {
      pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
      must: "the name of an environment variable",
    });
    const scope = entry.oneOf("scope", ["system", "user"]);
    const credentialType = entry.oneOf("credential_type", ["secret"]) ?? "secret";
    const required = entry.boolean("required") ?? true;
    const description = entry.string("description") ?? "";
    entry.rest("warning");
    if (name === undefined || scope === undefined) return [];
    if (seen.has(name))
      fields.problems.error(entry.at("name"), `credential ${quote(name)} is declared twice`);
    seen.add(name);
    return [{ name, scope, credentialType, required, description }];
  });
}

function readResources(fields: Fields): ManifestResources {
  const resources = fields.fields("resources");
  const read = {
    maxMemoryMb: resources?.number("max_memory_mb", { min: 6, max: 1_048_576, integer: true }) ?? 128,
    maxCpuFraction: resources?.number("max_cpu_fraction", { min: 0, above: true, max: 1_024 }) ?? 0.5,
    maxCpuSeconds: resources?.number("max_cpu_seconds", { min: 1, max: 86_400, integer: true }) ?? 30,
    pidsLimit: resources?.number("pids_limit", { min: 1, max: 1_000_000, integer: true }) ?? 64,
  };
  resources?.rest("warning");
  return read;
}

function readCache(fields: Fields, kind: Manifest["class"]): Manifest["cache"] {
  const cache = fields.fields("cache");
  const enabled = cache?.boolean("enabled") ?? false;
  cache?.rest("warning");
  if (enabled && kind !== "environment") {
    fields.problems.error(fields.at("cache"), 'a cache is only for class "environment"');
  }
  return { enabled };
}

function readSharing(fields: Fields, kind: Manifest["class"]): ManifestSharing {
  const sharing = fields.fields("sharing");
  const mode = sharing?.oneOf("mode", ["exclusive", "shared"]) ?? "exclusive";
  const maxConcurrent = sharing?.number("max_concurrent", { min: 1, max: 10_000, integer: true }) ?? 1;
  const idleTimeoutSeconds =
    sharing?.number("idle_timeout_seconds", { min: 1, max: 86_400, integer: true }) ?? 300;
  sharing?.rest("warning");
  if (mode === "shared" && kind !== "tool") {
    fields.problems.error(fields.at("sharing"), 'sharing is only for class "tool"');
  }
  return { mode, maxConcurrent, idleTimeoutSeconds };
}
