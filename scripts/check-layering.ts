import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkLayering } from "./layering.ts";
import { projectFiles, root } from "./project-files.ts";

const paths = projectFiles().filter((path) =>
  /^(?:core|sdk|bench|test|scripts|examples)\/.*\.(?:ts|js)$/.test(path),
);
const files = new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
const dependencies = new Map(["core", "sdk/typescript"].map((folder) => [folder, dependenciesOf(folder)]));

const violations = checkLayering({ files, dependencies });
for (const { file, line, message } of violations) console.log(`${file}:${line}: ${message}`);
process.exitCode = violations.length === 0 ? 0 : 1;

function dependenciesOf(folder: string): string[] {
  const manifest: { name: string; dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  // The contracts are one of our own packages, and every package may name itself.
  return [...Object.keys(manifest.dependencies ?? {}), manifest.name, "@stoa/proto"];
}
