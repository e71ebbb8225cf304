import { z } from "zod";
import { type Kind, kindOf, metaOf, type SettingMeta } from "./kinds.ts";
import { configSchema } from "./schema.ts";

/** One leaf of the schema, with all that is known about it. */
export interface Setting extends SettingMeta {
  /** The key as it is written in speech and in errors: `http.port`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly schema: z.ZodType;
  /** Undefined where the setting may be left out and has no default. */
  readonly defaultValue: unknown;
}

/** A mapping of the schema: sections and settings by name. */
export type Section = Readonly<Record<string, z.ZodType>>;

/** The section behind a schema, or undefined where the schema is a setting. */
export function sectionOf(schema: z.ZodType): Section | undefined {
  const inner = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? (inner.shape as Section) : undefined;
}

function collect(schema: z.ZodType, path: readonly string[]): Setting[] {
  const section = sectionOf(schema);
  if (section) return Object.entries(section).flatMap(([name, inner]) => collect(inner, [...path, name]));
  const meta = metaOf(schema);
  const key = path.join(".");
  if (!meta) throw new TypeError(`the setting ${key} has no description`);
  const defaultValue = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  return [{ ...meta, key, path, kind: kindOf(schema), schema, defaultValue }];
}

export const settings: readonly Setting[] = collect(configSchema, []);

const byKey = new Map(settings.map((setting) => [setting.key, setting]));

export function settingAt(key: string): Setting {
  const found = byKey.get(key);
  if (!found) throw new TypeError(`no setting is called ${key}`);
  return found;
}
