import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { unwritable } from "./ensure.ts";

/** Replaces a file in one step: a reader sees the old text or the new, and only the owner may read it. */
export function replaceSecretFile(path: string, text: string): void {
  try {
    const draft = writeDraft(path, text);
    renameSync(draft, path);
    syncFolder(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/**
 * The text of a file that is made where it does not exist yet. Two processes that get here together end up
 * with the same text: the file appears with its whole content, under its name, for one of them only.
 */
export function readOrCreateSecretFile(path: string, make: () => string): { text: string; created: boolean } {
  const existing = readIfThere(path);
  if (existing !== undefined) return { text: existing, created: false };
  const text = make();
  try {
    const draft = writeDraft(path, text);
    try {
      linkSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
    syncFolder(path);
    return { text, created: true };
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === "EEXIST" ? readIfThere(path) : undefined;
    if (winner !== undefined) return { text: winner, created: false };
    throw unwritable(path, error);
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}

/** A new name is durable only once the folder that holds it is. */
function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
