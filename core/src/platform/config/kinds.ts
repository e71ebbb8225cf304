import { isIP } from "node:net";
import { z } from "zod";

/** What a value is, how it is written as one line of text, and what the reader is told when it is wrong. */
export interface Kind {
  readonly name: "text" | "path" | "number" | "boolean" | "list" | "choice";
  /** What is allowed, to follow the words "expected" and "Allowed:". */
  readonly allowed: string;
  readonly choices?: readonly string[];
}

export interface SettingMeta {
  readonly description: string;
  /** Names in the environment; where there are several, the first is the one to recommend. */
  readonly env: readonly [string, ...string[]];
  /** Flags of `stoa up`, the most specific first. A boolean `--x` is also understood as `--no-x`. */
  readonly flags: readonly string[];
  /** `whole`: never shown. `url`: shown without user and password. */
  readonly secret?: "whole" | "url";
}

// Registries, because metadata that is set on a schema is lost when `.default()` wraps it.
const kinds = z.registry<Kind>();
const metas = z.registry<SettingMeta>();

export function setting<T extends z.ZodType>(schema: T, meta: SettingMeta): T {
  metas.add(schema, meta);
  return schema;
}

export function metaOf(schema: z.ZodType): SettingMeta | undefined {
  return metas.get(schema);
}

export function kindOf(schema: z.ZodType): Kind {
  const kind = kinds.get(schema);
  if (kind) return kind;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return kindOf(schema.unwrap() as z.ZodType);
  }
  throw new TypeError("a setting must be made by one of the functions in kinds.ts");
}

function kind<T extends z.ZodType>(schema: T, of: Kind): T {
  kinds.add(schema, of);
  return schema;
}

export const text = () => kind(z.string().trim().min(1), { name: "text", allowed: "some text" });

export const path = () =>
  kind(
    z
      .string()
      .min(1)
      .refine((value) => !value.includes("\0")),
    { name: "path", allowed: "the path of a file or folder" },
  );

export const flag = () => kind(z.boolean(), { name: "boolean", allowed: "true or false" });

export const port = () =>
  kind(z.int().min(0).max(65_535), {
    name: "number",
    allowed: "a whole number from 0 to 65535 (0 takes any free port)",
  });

export const count = () =>
  kind(z.int().min(1).max(1_000_000), { name: "number", allowed: "a whole number from 1 to 1000000" });

export const bytes = () =>
  kind(z.int().min(1024).max(1_073_741_824), {
    name: "number",
    allowed: "a number of bytes from 1024 to 1073741824 (1 GiB)",
  });

// setTimeout cannot wait longer than 2^31 ms; a day is far more than any of these settings needs.
export const seconds = () =>
  kind(z.number().min(0.001).max(86_400), {
    name: "number",
    allowed: "a number of seconds from 0.001 to 86400",
  });

export const ratio = () =>
  kind(z.number().min(0).max(1), { name: "number", allowed: "a number from 0 to 1" });

export const choice = <const T extends readonly [string, ...string[]]>(choices: T) =>
  kind(z.enum(choices), { name: "choice", allowed: `one of ${choices.join(", ")}`, choices });

export const host = () =>
  kind(
    z.string().refine((value) => isIP(value) !== 0 || isHostName(value)),
    { name: "text", allowed: "a host name or an IP address, without port (IPv6 without brackets)" },
  );

export const databaseUrl = () =>
  kind(
    z.string().refine((value) => hasScheme(value, ["postgres:", "postgresql:"])),
    { name: "text", allowed: "an address of the form postgres://user:password@host:5432/database" },
  );

export const httpUrl = () =>
  kind(
    z.string().refine((value) => hasScheme(value, ["http:", "https:"])),
    { name: "text", allowed: "an http:// or https:// address" },
  );

export const natsUrl = () =>
  kind(
    z.string().refine((value) => value.split(",").every((one) => isNatsServer(one.trim()))),
    {
      name: "text",
      allowed: "an address of the form nats://host:4222 or tls://host:4222 (or several, comma-separated)",
    },
  );

/** A key shorter than the hash's output would be the weakest part of the token. */
export const minimumKeyBytes = 32;

export const secretKeys = () =>
  kind(
    z
      .array(
        z
          .string()
          .trim()
          .refine((value) => Buffer.byteLength(value) >= minimumKeyBytes),
      )
      .max(16),
    { name: "list", allowed: `keys of at least ${minimumKeyBytes} bytes each, comma-separated or as a list` },
  );

function isHostName(value: string): boolean {
  return /^[a-z0-9_](?:[a-z0-9._-]{0,252})$/i.test(value) && !/^[\d.]+$/.test(value);
}

/** NATS clients take `host:port` without a scheme as well. */
function isNatsServer(value: string): boolean {
  return hasScheme(value.includes("://") ? value : `nats://${value}`, ["nats:", "tls:"]);
}

function hasScheme(value: string, schemes: readonly string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol);
}
