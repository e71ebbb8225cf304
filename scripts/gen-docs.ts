import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliReference } from "../core/src/faces/cli/reference.ts";
import { configReference } from "../core/src/platform/config/index.ts";
import { catalogue } from "../core/src/platform/errors/index.ts";
import { errorsPage } from "./errors-page.ts";
import { root } from "./project-files.ts";

// Writes the pages of docs/ that are made from code. With --check it writes nothing and fails where one is stale.

const pages = {
  "docs/errors.md": () => errorsPage(catalogue),
  "docs/configuration.md": () => configReference(),
  "docs/cli.md": () => cliReference(),
};

const checkOnly = process.argv.includes("--check");
for (const [path, make] of Object.entries(pages)) {
  const file = join(root, path);
  const wanted = make();
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) continue;
  if (checkOnly) {
    console.log(`${path} is not what the code says; run npm run gen`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, wanted);
    console.log(`✓ wrote ${path}`);
  }
}
