import { absolutePath } from "./paths.ts";
import type { Problem } from "./problems.ts";
import { type Setting, settings } from "./settings.ts";
import { didYouMean } from "./suggest.ts";
import { judgeText, judgeValue } from "./value.ts";

/** A value that one source gives to one setting, and what to tell the reader about where it came from. */
export interface Assignment {
  readonly setting: Setting;
  readonly value: unknown;
  readonly origin: string;
}

export interface SourceReading {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly Problem[];
}

export type Environment = Readonly<Record<string, string | undefined>>;
/** Values by flag: `{ "--http-port": "8080", "--demo": false }`. */
export type FlagValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Read by the command line itself, or by the tests: no settings, and no typing errors either. */
const otherVariables = new Set(["STOA_CONFIG", "STOA_URL", "STOA_GRPC_URL", "STOA_API_KEY"]);

export function readEnvironment(env: Environment, cwd: string): SourceReading {
  const assignments: Assignment[] = [];
  const problems: Problem[] = [];
  for (const setting of settings) {
    const given = setting.env.flatMap((name) => {
      // `STOA_FLEET=` in a compose file means "not set", as it does for most programs.
      const text = env[name];
      return text === undefined || text.trim() === "" ? [] : [{ name, text }];
    });
    const values = given.flatMap(({ name, text }) => {
      const judged = judgeText(setting, text);
      if ("value" in judged) return [{ name, value: judged.value }];
      problems.push(problem(`environment ${name}`, setting, judged.message));
      return [];
    });
    const [first, ...others] = values;
    if (!first) continue;
    const other = others.find(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value));
    if (other) {
      const message = `${first.name} and ${other.name} are two names of \`${setting.key}\` and differ; set one of them`;
      problems.push(problem(`environment ${first.name}`, setting, message));
    }
    assignments.push({ setting, value: rooted(setting, first.value, cwd), origin: `env ${first.name}` });
  }
  return { assignments, problems };
}

/**
 * Names that look like ours and are none. A warning, not an error: the environment is shared with other
 * programs, and Kubernetes adds `STOA_…` variables of its own for a service called "stoa".
 */
export function unknownVariables(env: Environment): string[] {
  const known = new Set([...settings.flatMap((setting) => setting.env), ...otherVariables]);
  return Object.keys(env)
    .filter((name) => /^(STOA_(?!TEST_)|GRPC__)/.test(name) && !known.has(name))
    .sort()
    .map((name) => {
      const meant = didYouMean(name, known);
      return `environment ${JSON.stringify(name).slice(1, -1)}: no setting has this name${meant || "."} It has no effect.`;
    });
}

export function readFlags(flags: FlagValues, cwd: string): SourceReading {
  const assignments: Assignment[] = [];
  const problems: Problem[] = [];
  for (const setting of settings) {
    const flag = setting.flags.find((name) => flags[name] !== undefined);
    if (flag === undefined) continue;
    const raw = flags[flag];
    const judged = typeof raw === "string" ? judgeText(setting, raw) : judgeValue(setting, raw);
    if ("value" in judged) {
      assignments.push({ setting, value: rooted(setting, judged.value, cwd), origin: `flag ${flag}` });
    } else {
      problems.push(problem(`flag ${flag}`, setting, judged.message));
    }
  }
  const known = new Set(settings.flatMap((setting) => setting.flags));
  for (const flag of Object.keys(flags)) {
    if (!known.has(flag))
      problems.push({ where: `flag ${flag}`, message: `no setting has this flag${didYouMean(flag, known)}` });
  }
  return { assignments, problems };
}

function rooted(setting: Setting, value: unknown, cwd: string): unknown {
  return setting.kind.name === "path" ? absolutePath(String(value), cwd) : value;
}

function problem(where: string, setting: Setting, message: string): Problem {
  return { where, message, key: setting.key, ...(setting.key === "signingKeys" ? { signingKey: true } : {}) };
}
