import { child } from "#domain/contracts/pointer";
import { MAX_DEPTH, MAX_VALUES } from "./parse.ts";
import { type Problems, startOfFile } from "./problems.ts";
import type { YamlEntry, YamlValue } from "./value.ts";

/** A value that was parsed elsewhere, in the form that files are read in. It has no lines, only paths. */
export function fromPlain(value: unknown, problems: Problems): YamlValue | undefined {
  const before = problems.errors.length;
  const result = convert(value, "", 0, { values: 0, problems });
  return problems.errors.length > before ? undefined : result;
}

function convert(
  value: unknown,
  path: string,
  depth: number,
  state: { values: number; readonly problems: Problems },
): YamlValue {
  const at = { ...startOfFile, path };
  const nothing = { kind: "scalar", value: null, ...at } as const;
  if (++state.values > MAX_VALUES || depth > MAX_DEPTH) {
    if (state.values <= MAX_VALUES + 1) state.problems.error(at, "there is more here than a file may hold");
    state.values = MAX_VALUES + 1;
    return nothing;
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return { kind: "scalar", value, ...at };
  }
  if (typeof value === "number" && Number.isFinite(value)) return { kind: "scalar", value, ...at };
  if (Array.isArray(value)) {
    const items = value.map((item, i) => convert(item, child(path, i), depth + 1, state));
    return { kind: "list", items, ...at };
  }
  if (typeof value !== "object") {
    state.problems.error(at, `${String(value).slice(0, 80)} is not a value that JSON has`);
    return nothing;
  }
  const entries = new Map<string, YamlEntry>();
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const below = child(path, key);
    entries.set(key, { key: { ...startOfFile, path: below }, value: convert(item, below, depth + 1, state) });
  }
  return { kind: "map", entries, ...at };
}
