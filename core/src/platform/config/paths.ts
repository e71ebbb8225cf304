import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A shell expands `~`; a YAML file has no shell, and people write it all the same. */
export function absolutePath(path: string, base: string): string {
  if (path === "~") return homedir();
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : resolve(base, path);
}
