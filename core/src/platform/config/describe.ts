import type { LoadedConfig } from "./load.ts";
import { type Setting, settings } from "./settings.ts";

export interface EffectiveSetting {
  readonly key: string;
  /** As it may be shown: a secret is masked. Null where the setting is not set and has no default. */
  readonly value: unknown;
  readonly origin: string;
  readonly secret: boolean;
}

/** Every setting with the value in effect and where it came from. */
export function describeEffective(loaded: LoadedConfig): EffectiveSetting[] {
  return settings.map((setting) => ({
    key: setting.key,
    value: masked(setting, valueAt(loaded.config, setting.path)),
    origin: loaded.origins.get(setting.key) ?? "default",
    secret: setting.secret !== undefined,
  }));
}

function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    config,
  );
}

function masked(setting: Setting, value: unknown): unknown {
  if (value === undefined) return null;
  if (setting.secret === "whole") return Array.isArray(value) ? value.map(() => "****") : "****";
  if (setting.secret === "url") return String(value).split(",").map(maskUrl).join(",");
  return value;
}

/** Keeps what helps to tell servers apart; a query may carry a password too, so its values go as well. */
function maskUrl(text: string): string {
  const written = text.trim();
  // Without a scheme, `user:password@host` would be read as one: the password would be part of the path.
  const address = written.includes("://") ? written : `nats://${written}`;
  if (!URL.canParse(address)) return "****";
  const url = new URL(address);
  if (url.password !== "") url.password = "****";
  // A lone user name in a NATS address is a token.
  else if (url.username !== "") url.username = "****";
  for (const name of url.searchParams.keys()) url.searchParams.set(name, "****");
  return url.href;
}
