import { child } from "#domain/contracts/pointer";
import type { Json, JsonObject } from "#domain/contracts/schema/structure";
import { canonicalText } from "./canonical.ts";
import { annotations, listed, mapped, single } from "./keywords.ts";

/** One difference between two texts of a schema, at one place. */
export interface Edit {
  /** Where: a pointer into the schema, to the keyword, or to the entry of it that changed. */
  readonly path: string;
  /** What was done, in words. */
  readonly summary: string;
  /** Says nothing about which values are valid. */
  readonly isInert: boolean;
  /** The first schema with this one change made. */
  readonly applied: Json;
  /** The second schema with this one change taken back. */
  readonly undone: Json;
}

const definitions = new Set(["definitions", "$defs"]);

type Put = (value: Json | undefined) => Json | undefined;

/** A place that both schemas have: where it is, and what each whole looks like with something else in it. */
interface Place {
  readonly path: string;
  readonly putOld: Put;
  readonly putNew: Put;
}

/** What makes one schema the other, piece by piece, in the order of their texts. */
export function editsBetween(before: Json, after: Json): Edit[] {
  const comparer = new Comparer();
  const identity: Put = (schema) => schema;
  comparer.schemas(before, after, { path: "", putOld: identity, putNew: identity });
  return comparer.edits;
}

class Comparer {
  readonly edits: Edit[] = [];

  schemas(old: Json, now: Json, at: Place): void {
    if (canonicalText(old) === canonicalText(now)) return;
    if (!isObject(old) || !isObject(now)) {
      this.#note(at, `${show(old)} became ${show(now)}`, old, now);
      return;
    }
    for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const [one, other] = [own(old, keyword), own(now, keyword)];
      const place = inside(at, old, now, keyword);
      if (one !== undefined && other !== undefined) {
        if (canonicalText(one) === canonicalText(other) || this.#insideKeyword(keyword, one, other, place))
          continue;
      }
      const isInert = definitions.has(keyword) || annotations.has(keyword);
      this.#note(place, told(keyword, one, other), one, other, isInert);
    }
  }

  /** Goes into what a keyword holds. @returns false where the keyword changed as a whole */
  #insideKeyword(keyword: string, old: Json, now: Json, at: Place): boolean {
    if (isObject(old) && isObject(now)) {
      if (single.has(keyword)) this.schemas(old, now, at);
      else if (mapped.has(keyword)) this.#maps(keyword, old, now, at);
      else return false;
      return true;
    }
    if (!isList(old) || !isList(now)) return false;
    if (listed.has(keyword)) this.#lists(old, now, at);
    else if (keyword === "required" || keyword === "enum") this.#sets(keyword, old, now, at);
    else return false;
    return true;
  }

  #maps(keyword: string, old: JsonObject, now: JsonObject, at: Place): void {
    // A definition by itself asks nothing; what refers to it does.
    const isDefinition = definitions.has(keyword);
    const noun = isDefinition ? "definition" : keyword === "properties" ? "property" : "entry";
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const [one, other] = [own(old, key), own(now, key)];
      const place = inside(at, old, now, key);
      if (one !== undefined && other !== undefined) this.schemas(one, other, place);
      else
        this.#note(
          place,
          `${noun} ${show(key)} ${one === undefined ? "added" : "removed"}`,
          one,
          other,
          isDefinition,
        );
    }
  }

  /** Branches that are in both are the same wherever they stand; of the others, the first became the first. */
  #lists(old: readonly Json[], now: readonly Json[], at: Place): void {
    const [gone, come] = [without(old, now), without(now, old)];
    for (const [n, i] of gone.entries()) {
      const j = come[n] ?? now.length;
      const place = {
        path: child(at.path, i),
        putOld: (value: Json | undefined) => at.putOld(spliced(old, i, value)),
        putNew: (value: Json | undefined) => at.putNew(spliced(now, j, value)),
      };
      if (j < now.length) this.schemas(old[i] ?? null, now[j] ?? null, place);
      else this.#note(place, `branch ${i} removed`, old[i], undefined);
    }
    for (const j of come.slice(gone.length)) {
      const place = {
        path: child(at.path, j),
        putOld: (value: Json | undefined) => at.putOld(spliced(old, old.length, value)),
        putNew: (value: Json | undefined) => at.putNew(spliced(now, j, value)),
      };
      this.#note(place, `branch ${j} added`, undefined, now[j]);
    }
  }

  #sets(keyword: "required" | "enum", old: readonly Json[], now: readonly Json[], at: Place): void {
    const noun = keyword === "required" ? "required property" : "value";
    for (const i of without(old, now)) {
      const value = old[i] ?? null;
      this.#note(at, `${noun} ${show(value)} removed`, [...now, value], spliced(old, i, undefined));
    }
    for (const j of without(now, old)) {
      const value = now[j] ?? null;
      this.#note(at, `${noun} ${show(value)} added`, spliced(now, j, undefined), [...old, value]);
    }
  }

  /** @param old what takes the change back in the new schema, and `now` what makes it in the old one */
  #note(at: Place, summary: string, old: Json | undefined, now: Json | undefined, isInert = false): void {
    this.edits.push({
      path: at.path || "/",
      summary,
      isInert,
      applied: at.putOld(now) ?? {},
      undone: at.putNew(old) ?? {},
    });
  }
}

function told(keyword: string, old: Json | undefined, now: Json | undefined): string {
  if (old === undefined) return `${keyword} ${show(now)} added`;
  if (now === undefined) return `${keyword} ${show(old)} removed`;
  return `${keyword} changed from ${show(old)} to ${show(now)}`;
}

function inside(at: Place, old: JsonObject, now: JsonObject, key: string): Place {
  const put = (holder: JsonObject, above: Put): Put => {
    return (value) => {
      const entries = Object.entries(holder).filter(([name]) => name !== key);
      if (value !== undefined) entries.push([key, value]);
      return above(Object.fromEntries(entries));
    };
  };
  return { path: child(at.path, key), putOld: put(old, at.putOld), putNew: put(now, at.putNew) };
}

/** The places of those in one list that the other does not have, as often as it does not. */
function without(list: readonly Json[], other: readonly Json[]): number[] {
  const left = new Map<string, number>();
  for (const item of other) left.set(canonicalText(item), (left.get(canonicalText(item)) ?? 0) + 1);
  return [...list.keys()].filter((i) => {
    const key = canonicalText(list[i] ?? null);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** The list with something else in one place. Without anything in it, the keyword is gone. */
function spliced(list: readonly Json[], at: number, value: Json | undefined): Json[] | undefined {
  const result = [...list.slice(0, at), ...(value === undefined ? [] : [value]), ...list.slice(at + 1)];
  return result.length === 0 ? undefined : result;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** A value in a sentence, cut where it is long. */
function show(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
