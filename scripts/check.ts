import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./project-files.ts";

// What a reviewer would say, in one command. --fix mends first what a machine can mend.

interface Step {
  name: string;
  command: string[];
  /** What the step's command becomes with --fix, where it can mend something. */
  fix?: string[];
  /** For the reader of a failure. */
  help: string;
}

const node = process.execPath;
const bin = (name: string) => join(root, "node_modules", ".bin", name);
const script = (name: string) => join(root, "scripts", name);

const steps: Step[] = [
  {
    name: "format and lint",
    command: [bin("biome"), "check", "--error-on-warnings", "."],
    fix: [bin("biome"), "check", "--write", "--error-on-warnings", "."],
    help: "npm run format mends what can be mended",
  },
  { name: "types", command: [bin("tsc"), "-p", "."], help: "mend the types above" },
  {
    name: "proto",
    command: [node, script("check-proto.ts")],
    help: "npm run gen regenerates the code; a contract that is in use cannot be renumbered or deleted",
  },
  {
    name: "docs in step",
    command: [node, script("gen-docs.ts"), "--check"],
    fix: [node, script("gen-docs.ts")],
    help: "npm run gen writes them again",
  },
  {
    name: "layering",
    command: [node, script("check-layering.ts")],
    help: "CONTRIBUTING.md says who may import whom",
  },
  {
    name: "files and lock",
    command: [node, script("check-tracked.ts")],
    fix: [node, script("check-tracked.ts"), "--fix"],
    help: "npm run check -- --fix mends the lock file",
  },
];

const fixing = process.argv.includes("--fix");
let failed = 0;
if (fixing) for (const step of steps) await report(step, run(step.fix ?? step.command));
else {
  const running = steps.map((step) => [step, run(step.command)] as const);
  for (const [step, result] of running) await report(step, result);
}
console.log(failed === 0 ? "All checks passed." : `${failed} of ${steps.length} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;

interface Result {
  code: number | null;
  output: string;
}

function run([command = "", ...args]: string[]): Promise<Result> {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, output: `${error.message}; run npm ci` }));
    child.on("close", (code) => resolve({ code, output }));
  });
}

async function report(step: Step, result: Promise<Result>): Promise<void> {
  const { code, output } = await result;
  if (code === 0) {
    console.log(`ok      ${step.name}`);
    return;
  }
  failed++;
  console.log(`failed  ${step.name}: ${step.help}\n${output.trimEnd().replaceAll(/^/gm, "        ")}`);
}
