import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Every file of the project that is not ignored, as paths from its root with forward slashes. Reads the folders and
 * .gitignore itself, because a machine that only runs the tests need not have git.
 */
export function projectFiles(): string[] {
  const ignored = readFileSync(join(root, ".gitignore"), "utf8")
    .split("\n")
    .map((line) => line.trim().replace(/^\/|\/$/g, ""))
    .filter((line) => line !== "" && !line.startsWith("#"));
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === ".git" || ignored.some((pattern) => matches(entry.name, path, pattern))) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) found.push(path);
    }
  };
  walk("");
  return found;
}

/** As git has it: a pattern with a slash inside is a path from the root, any other is a name at any depth. */
function matches(name: string, path: string, pattern: string): boolean {
  return matchesGlob(pattern.includes("/") ? path : name, pattern);
}
