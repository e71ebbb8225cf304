import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { projectFiles, root } from "./project-files.ts";
import { checkLock, checkText, mendLock } from "./tracked.ts";

// No file names a machine's folders or a package host, and the lock file works with every npm. --fix mends the lock file.

const lock = "package-lock.json";
const lockText = readFileSync(join(root, lock), "utf8");
if (process.argv.includes("--fix")) {
  const mended = mendLock(lockText);
  if (mended !== lockText) writeFileSync(join(root, lock), mended);
}

// A home such as / would be found in every path.
const machine = [root.replace(/\/$/, ""), homedir()].filter((folder) => folder.split("/").length > 2);
const findings = checkLock(lock, readFileSync(join(root, lock), "utf8"));
for (const path of projectFiles()) {
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) continue; // Not text.
  findings.push(...checkText(path, bytes.toString("utf8"), machine));
}
for (const { file, line, message } of findings) console.log(`${file}:${line}: ${message}`);
process.exitCode = findings.length === 0 ? 0 : 1;
