import { child } from "#domain/contracts/pointer";
import type { Position, Problems } from "./problems.ts";
import { nearest } from "./suggest.ts";
import { kindOf, quote, type YamlList, type YamlMap, type YamlValue } from "./value.ts";

/**
 * The fields of one map in a contract file. Each is asked for by name and kind; a value of another kind is a
 * problem at its place, and then the answer is undefined. `rest` deals with the fields nobody asked for.
 */
export class Fields {
  readonly map: YamlMap;
  readonly problems: Problems;
  readonly #asked = new Set<string>();

  constructor(map: YamlMap, problems: Problems) {
    this.map = map;
    this.problems = problems;
  }

  /** The value, whatever it is; an explicit `key:` with nothing after it counts as absent. */
  any(key: string): YamlValue | undefined {
    this.#asked.add(key);
    const value = this.map.entries.get(key)?.value;
    return value?.kind === "scalar" && value.value === null ? undefined : value;
  }

  has(key: string): boolean {
    return this.map.entries.has(key);
  }

  /** Where a field stands, or the map where it is absent. */
  at(key: string): Position {
    return this.map.entries.get(key)?.key ?? this.map;
  }

  require(key: string): void {
    this.#asked.add(key);
    if (this.any(key) !== undefined) return;
    const { line, column } = this.at(key);
    this.problems.error({ line, column, path: child(this.map.path, key) }, `missing ${quote(key)}`);
  }

  /** Contract files say `version: 1`, so that a later form can be told from this one. */
  version(): void {
    this.require("version");
    const value = this.any("version");
    if (value && !(value.kind === "scalar" && value.value === 1)) this.#wrong("version", value, "1");
  }

  string(key: string, rule: { pattern?: RegExp; must?: string; max?: number } = {}): string | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    const must = rule.must ?? "a string";
    if (value.kind !== "scalar" || typeof value.value !== "string") return this.#wrong(key, value, must);
    if (rule.pattern && !rule.pattern.test(value.value)) return this.#wrong(key, value, must);
    const max = rule.max ?? 10_000;
    if (value.value.length > max) return this.#wrong(key, value, `at most ${max} characters long`);
    return value.value;
  }

  boolean(key: string): boolean | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    if (value.kind === "scalar" && typeof value.value === "boolean") return value.value;
    return this.#wrong(key, value, "true or false");
  }

  number(
    key: string,
    rule: { min: number; max: number; integer?: boolean; above?: boolean },
  ): number | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    const from = rule.above ? `above ${rule.min}` : `from ${rule.min}`;
    const must = `a ${rule.integer ? "whole number" : "number"} ${from} to ${rule.max}`;
    if (value.kind !== "scalar" || typeof value.value !== "number") return this.#wrong(key, value, must);
    const found = value.value;
    const fits = (rule.above ? found > rule.min : found >= rule.min) && found <= rule.max;
    return fits && (!rule.integer || Number.isInteger(found)) ? found : this.#wrong(key, value, must);
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    const found = allowed.find((one) => value.kind === "scalar" && value.value === one);
    if (found !== undefined) return found;
    const list = allowed.map((one) => quote(one)).join(", ");
    return this.#wrong(key, value, allowed.length === 1 ? list : `one of ${list}`);
  }

  list(key: string): YamlList | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    return value.kind === "list" ? value : this.#wrong(key, value, "a list");
  }

  strings(key: string, rule: { pattern?: RegExp; must?: string } = {}): { text: string; at: Position }[] {
    const found: { text: string; at: Position }[] = [];
    const seen = new Set<string>();
    for (const item of this.list(key)?.items ?? []) {
      const text = item.kind === "scalar" && typeof item.value === "string" ? item.value : undefined;
      if (text === undefined || (rule.pattern && !rule.pattern.test(text))) {
        this.problems.error(item, `must be ${rule.must ?? "a string"}, not ${kindOf(item)}`);
      } else if (seen.has(text)) {
        this.problems.error(item, `${quote(text)} is listed twice`);
      } else {
        seen.add(text);
        found.push({ text, at: item });
      }
    }
    return found;
  }

  fields(key: string): Fields | undefined {
    const value = this.any(key);
    if (!value) return undefined;
    if (value.kind !== "map") return this.#wrong(key, value, "a map");
    return new Fields(value, this.problems);
  }

  /** The items of a list of maps. */
  eachFields(key: string): Fields[] {
    return (this.list(key)?.items ?? []).flatMap((item) => {
      if (item.kind === "map") return [new Fields(item, this.problems)];
      this.problems.error(item, `must be a map, not ${kindOf(item)}`);
      return [];
    });
  }

  /** To be called last. */
  rest(as: "error" | "warning"): void {
    for (const [key, { key: at }] of this.map.entries) {
      if (this.#asked.has(key)) continue;
      const like = nearest(key, this.#asked);
      const message = `unknown key ${quote(key)}${like ? `; did you mean ${quote(like)}?` : ""}`;
      if (as === "error") this.problems.error(at, message);
      else this.problems.warn(at, message);
    }
  }

  #wrong(key: string, value: YamlValue, must: string): undefined {
    this.problems.error(value, `${quote(key)} must be ${must}, not ${kindOf(value)}`);
    return undefined;
  }
}
