import { dialectOfSchema, tryCompileSchema } from "#domain/contracts/schema";
import {
  Fields,
  fromPlain,
  kindOf,
  Problems,
  parseYaml,
  plain,
  positionOf,
  quote,
  type YamlValue,
} from "#domain/contracts/yaml";
import { parseTransport } from "./transports.ts";
import type { AgentCapability, CapabilitiesConfig, TransportConfig } from "./types.ts";
import { compareVersions, isVersion } from "./version.ts";

export interface ParseCapabilitiesOptions {
  /** Off, schemas are carried along as they are: for looking at what a peer published. On by default. */
  readonly validateSchemas?: boolean;
  /** Named in problems. */
  readonly file?: string;
  /** The id of the folder it lies in; the file must agree. */
  readonly agentId?: string;
}

/** Two underscores in a row separate an agent from its capability in longer names, so an id has none. */
export const agentIdPattern = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/;
const capabilityName = /^[a-z0-9][a-z0-9_-]{0,99}$/i;

/**
 * Reads a capabilities.yaml: its text, or the value that a YAML or JSON parser made of it.
 * @throws StoaError FILE_INVALID with every problem in `details.problems`.
 */
export function parseCapabilitiesConfig(
  raw: unknown,
  options: ParseCapabilitiesOptions = {},
): CapabilitiesConfig {
  const problems = new Problems(options.file ?? "capabilities.yaml");
  const config = readCapabilitiesConfig(raw, problems, options);
  problems.throwIfAny();
  if (!config) throw new Error("unreachable: no configuration and no problem");
  return config;
}

/** The same for callers that collect problems from many files. */
export function readCapabilitiesConfig(
  raw: unknown,
  problems: Problems,
  options: ParseCapabilitiesOptions = {},
): CapabilitiesConfig | undefined {
  const value = typeof raw === "string" ? parseYaml(raw, problems) : fromPlain(raw, problems);
  if (!value) return undefined;
  if (value.kind !== "map") {
    problems.error(value, `the file must be a map, not ${kindOf(value)}`);
    return undefined;
  }
  const fields = new Fields(value, problems);
  fields.version();
  const agentId = readAgent(fields, options.agentId);
  const transports = readTransports(fields);
  const capabilities = readCapabilities(fields, options.validateSchemas ?? true);
  fields.rest("error");
  if (problems.errors.length > 0 || agentId === undefined) return undefined;
  const agent = `agent://${agentId}`;
  return { version: 1, agent, agentId, transports, capabilities, warnings: problems.warnings };
}

function readAgent(fields: Fields, expected: string | undefined): string | undefined {
  fields.require("agent");
  const agent = fields.string("agent");
  if (agent === undefined) return undefined;
  const id = agent.startsWith("agent://") ? agent.slice("agent://".length) : "";
  if (!agentIdPattern.test(id)) {
    fields.problems.error(fields.at("agent"), `"agent" must be agent://<id>, not ${quote(agent)}`);
    return undefined;
  }
  if (expected !== undefined && id !== expected) {
    fields.problems.error(
      fields.at("agent"),
      `"agent" is ${agent}, but the file belongs to agent://${expected}`,
    );
  }
  return id;
}

function readTransports(fields: Fields): TransportConfig[] {
  const seen = new Set<string>();
  return fields.eachFields("transports").flatMap((entry) => {
    const transport = parseTransport(entry);
    if (!transport) return [];
    if (seen.has(transport.kind)) {
      fields.problems.error(entry.at("kind"), `transport ${quote(transport.kind)} is given twice`);
    }
    seen.add(transport.kind);
    return [transport];
  });
}

function readCapabilities(fields: Fields, validateSchemas: boolean): AgentCapability[] {
  fields.require("capabilities");
  const seen = new Set<string>();
  return fields.eachFields("capabilities").flatMap((entry) => {
    const capability = readCapability(entry, validateSchemas);
    if (!capability) return [];
    if (seen.has(capability.name)) {
      fields.problems.error(entry.at("name"), `capability ${quote(capability.name)} is declared twice`);
    }
    seen.add(capability.name);
    return [capability];
  });
}

function readCapability(fields: Fields, validateSchemas: boolean): AgentCapability | undefined {
  fields.require("name");
  const name = fields.string("name", {
    pattern: capabilityName,
    must: "letters, digits, - and _, starting with a letter or digit, at most 100",
  });
  const description = fields.string("description");
  const timeoutMs = fields.number("timeoutMs", { min: 1, max: 600_000, integer: true });
  const idempotent = fields.boolean("idempotent") ?? false;
  const since = readVersion(fields, "since");
  const minSchemaVersion = readVersion(fields, "minSchemaVersion");
  if (since && minSchemaVersion && compareVersions(minSchemaVersion, since) < 0) {
    fields.problems.error(
      fields.at("minSchemaVersion"),
      `minSchemaVersion ${minSchemaVersion} is older than since ${since}`,
    );
  }
  const skill = fields.string("skill", { pattern: /\S/, must: "the name of a skill" });
  const input = readSchemaField(fields, "inputSchema", validateSchemas);
  const output = readSchemaField(fields, "outputSchema", validateSchemas);
  fields.rest("error");
  if (name === undefined) return undefined;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(input && { inputSchema: input.schema, inputDialect: input.dialect }),
    ...(output && { outputSchema: output.schema, outputDialect: output.dialect }),
    ...(input?.validator && { input: input.validator }),
    ...(output?.validator && { output: output.validator }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    idempotent,
    ...(since === undefined ? {} : { since }),
    ...(minSchemaVersion === undefined ? {} : { minSchemaVersion }),
    skill: skill ?? name,
  };
}

function readVersion(fields: Fields, key: "since" | "minSchemaVersion"): string | undefined {
  const value = fields.any(key);
  if (value?.kind === "scalar" && typeof value.value === "number") {
    // `since: 1.10` has become the number 1.1 before we see it.
    fields.problems.error(value, `${quote(key)} must be a version in quotes, such as "1.1.0"`);
    return undefined;
  }
  const version = fields.string(key);
  if (version === undefined || isVersion(version)) return version;
  fields.problems.error(
    fields.at(key),
    `${quote(key)} must be a version such as "1.1.0", not ${quote(version)}`,
  );
  return undefined;
}

function readSchemaField(fields: Fields, key: "inputSchema" | "outputSchema", validate: boolean) {
  if (fields.has(key) && fields.any(key) === undefined) {
    fields.problems.error(
      fields.at(key),
      `${quote(key)} must be a schema, not nothing; leave it out for any JSON`,
    );
  }
  const value = fields.any(key);
  if (!value) return undefined;
  const schema = plain(value) as NonNullable<AgentCapability["inputSchema"]>;
  if (!validate) return { schema, dialect: dialectOfSchema(schema, "subset") };
  const { validator, problems, dialect } = tryCompileSchema(schema, { dialect: "subset" });
  for (const { path, message } of problems) report(fields, value, path, `${message} at ${path}`);
  return { schema, dialect, validator };
}

function report(fields: Fields, value: YamlValue, path: string, message: string): void {
  const { line, column } = positionOf(value, path);
  fields.problems.error({ line, column, path: path === "/" ? value.path : value.path + path }, message);
}
