import { existsSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { readConfigFile } from "./file.ts";
import { absolutePath } from "./paths.ts";
import { type Problem, problemsError } from "./problems.ts";
import { type Config, configSchema } from "./schema.ts";
import { settings } from "./settings.ts";
import {
  type Assignment,
  type Environment,
  type FlagValues,
  readEnvironment,
  readFlags,
  unknownVariables,
} from "./sources.ts";

export interface LoadOptions {
  /** Relative paths of environment and flags start here, and `stoa.yaml` is looked for here. */
  readonly cwd: string;
  readonly env: Environment;
  readonly flags?: FlagValues;
  /** The file named by the user (`--config`); it must exist. `STOA_CONFIG` is its name in the environment. */
  readonly file?: string | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Where each setting came from, by key: `default`, `stoa.yaml:12`, `env STOA_HOME`, `flag --home`. */
  readonly origins: ReadonlyMap<string, string>;
  /** Things that have no effect and were probably meant to. */
  readonly warnings: readonly string[];
  /** The file that was read, if any. */
  readonly file: string | undefined;
}

/** stoa.yaml, then environment, then flags: the later one wins. Throws with every problem of all three. */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { cwd, env, flags = {} } = options;
  const file = findFile(options);
  const readings = [
    ...(file ? [readConfigFile(file, nameOf(file, cwd))] : []),
    readEnvironment(env, cwd),
    readFlags(flags, cwd),
  ];
  const given = new Map<string, Assignment>();
  for (const assignment of readings.flatMap((reading) => reading.assignments)) {
    given.set(assignment.setting.key, assignment);
  }
  const problems = [...readings.flatMap((reading) => reading.problems), ...judgeTogether(given)];
  if (problems.length > 0) throw problemsError(problems);

  const origins = new Map(settings.map(({ key }) => [key, given.get(key)?.origin ?? "default"]));
  const config = configSchema.parse(tree(given, cwd));
  return { config, origins, warnings: [...unknownVariables(env), ...nearMisses(cwd, file)], file };
}

function findFile({ cwd, env, file }: LoadOptions): string | undefined {
  const named = file ?? (env.STOA_CONFIG?.trim() || undefined);
  if (named !== undefined) return absolutePath(named, cwd);
  const usual = resolve(cwd, "stoa.yaml");
  return existsSync(usual) ? usual : undefined;
}

function nameOf(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short.startsWith("..") ? file : short || basename(file);
}

function nearMisses(cwd: string, file: string | undefined): string[] {
  const other = ["stoa.yml", ".stoa.yaml"].find((name) => existsSync(resolve(cwd, name)));
  return file === undefined && other !== undefined
    ? [`${other} is not read; the file is called stoa.yaml. Rename it, or name it with --config.`]
    : [];
}

/** What no setting can say about itself. */
function judgeTogether(given: ReadonlyMap<string, Assignment>): Problem[] {
  const [cert, key, clientCa] = ["grpc.tls.certFile", "grpc.tls.keyFile", "grpc.tls.clientCaFile"].map(
    (name) => given.get(name),
  );
  const present = cert ?? key ?? clientCa;
  if (!present || (cert && key)) return [];
  const missing = cert
    ? "grpc.tls.keyFile"
    : key
      ? "grpc.tls.certFile"
      : "grpc.tls.certFile and grpc.tls.keyFile";
  return [
    {
      where: present.origin,
      key: present.setting.key,
      message: `\`${present.setting.key}\` needs ${missing} too`,
    },
  ];
}

function tree(given: ReadonlyMap<string, Assignment>, cwd: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { key, path, kind, defaultValue } of settings) {
    const fallback =
      kind.name === "path" && defaultValue !== undefined
        ? absolutePath(String(defaultValue), cwd)
        : undefined;
    const value = given.get(key)?.value ?? fallback;
    if (value === undefined) continue;
    let section = root;
    for (const name of path.slice(0, -1)) {
      section[name] ??= {};
      section = section[name] as Record<string, unknown>;
    }
    section[path.at(-1) ?? key] = value;
  }
  return root;
}
