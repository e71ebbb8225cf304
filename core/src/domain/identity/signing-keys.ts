import { randomBytes } from "node:crypto";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { minimumKeyBytes } from "#platform/config";
import { messageOf, StoaError } from "#platform/errors";
import { ensureHome, readIfThere, readOrCreateSecretFile } from "#platform/home";

export interface SigningKeys {
  /** The first one signs, each is accepted. */
  readonly keys: readonly string[];
  readonly origin: "configuration" | "file" | "generated";
  /** What the operator should know, for the log. */
  readonly warnings: readonly string[];
}

/** The keys of the configuration, or the one kept in the home folder, which is made where there is none. */
export function loadSigningKeys(configured: readonly string[], home: string): SigningKeys {
  if (configured.length > 0) {
    configured.forEach((key, index) => {
      requireLength(key, `signing key ${index + 1}`);
    });
    return { keys: configured, origin: "configuration", warnings: [] };
  }
  ensureHome(home);
  const path = signingKeyPath(home);
  // As text, so that the same characters can be put into STOA_SIGNING_KEY of another node.
  const { text, created } = readFile(path, () => `${randomBytes(32).toString("base64url")}\n`);
  const warnings = created ? [] : keepPrivate(path);
  const keys = keysIn(text, path);
  return { keys, origin: created ? "generated" : "file", warnings };
}

/** The keys of a home as they are, for commands that must not make one. */
export function readSigningKeys(configured: readonly string[], home: string): readonly string[] | undefined {
  if (configured.length > 0) return configured;
  const path = signingKeyPath(home);
  const text = readIfThere(path);
  return text === undefined ? undefined : keysIn(text, path);
}

export function signingKeyPath(home: string): string {
  return join(home, "signing.key");
}

function keysIn(text: string, path: string): readonly string[] {
  const keys = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (keys.length === 0) throw unusable(path, "it is empty");
  for (const key of keys) requireLength(key, path);
  return keys;
}

function readFile(path: string, make: () => string): { text: string; created: boolean } {
  try {
    return readOrCreateSecretFile(path, make);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || error instanceof StoaError) throw error;
    throw unusable(path, `it cannot be read (${messageOf(error)})`);
  }
}

function keepPrivate(path: string): string[] {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return [];
  try {
    chmodSync(path, 0o600);
  } catch {
    throw unusable(path, "other users may read it, and its mode cannot be changed to 0600");
  }
  return [
    `${path} could be read by other users; its mode is now 0600. Replace the key if others use this machine.`,
  ];
}

function requireLength(key: string, name: string): void {
  const size = Buffer.byteLength(key);
  if (size >= minimumKeyBytes) return;
  throw new StoaError(
    "KEY_INVALID",
    `${name} has ${size} bytes and needs at least ${minimumKeyBytes}. Use \`openssl rand -base64 32\`, or remove it ` +
      "to have one generated.",
  );
}

function unusable(path: string, why: string): StoaError {
  return new StoaError("KEY_INVALID", `The signing key ${path} cannot be used: ${why}.`);
}
