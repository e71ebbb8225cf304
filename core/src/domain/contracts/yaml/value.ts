import type { Position } from "./problems.ts";

/** A value of a YAML file that knows where it stands. */
export type YamlValue = YamlMap | YamlList | YamlScalar;

export interface YamlMap extends Position {
  readonly kind: "map";
  readonly entries: ReadonlyMap<string, YamlEntry>;
}
export interface YamlEntry {
  /** Where the key stands. */
  readonly key: Position;
  readonly value: YamlValue;
}
export interface YamlList extends Position {
  readonly kind: "list";
  readonly items: readonly YamlValue[];
}
export interface YamlScalar extends Position {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
}

/** The value alone, as plain JSON in the order of the file. */
export function plain(value: YamlValue): unknown {
  if (value.kind === "scalar") return value.value;
  if (value.kind === "list") return value.items.map(plain);
  const result: Record<string, unknown> = {};
  for (const [key, entry] of value.entries) {
    const item = plain(entry.value);
    // An assignment to `__proto__` would not make a property.
    if (key !== "__proto__") result[key] = item;
    else
      Object.defineProperty(result, key, {
        value: item,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
  return result;
}

/** Where a pointer leads, or the nearest place on the way there. */
export function positionOf(value: YamlValue, path: string): Position {
  let at: YamlValue = value;
  let found: Position = value;
  for (const token of path.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at.kind === "map") {
      const entry = at.entries.get(key);
      if (!entry) break;
      found = entry.key;
      at = entry.value;
    } else if (at.kind === "list") {
      const item: YamlValue | undefined = at.items[Number(key)];
      if (!item) break;
      found = item;
      at = item;
    } else {
      break;
    }
  }
  return found;
}

export function kindOf(value: YamlValue): string {
  if (value.kind === "map") return "a map";
  if (value.kind === "list") return "a list";
  return value.value === null ? "nothing" : `the ${typeof value.value} ${quote(value.value)}`;
}

export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
