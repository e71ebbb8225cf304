/**
 * The wire contracts as `npm run check` sees them: linted, formatted, nothing renumbered or deleted since the
 * committed image, generated code in step. `npm run gen` mends what can be mended. With names (lint, format, breaking,
 * generated) only those checks are made.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const image = join("proto", "image.binpb");
export const generated = join("proto", "gen");

/** Runs buf in the project; what it complains about is the message of the error. */
export async function buf(...args: string[]): Promise<void> {
  const bin = join(root, "node_modules", "@bufbuild", "buf", "bin", "buf");
  try {
    await promisify(execFile)(process.execPath, [bin, ...args], { cwd: root, maxBuffer: 1 << 26 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}`.trim() || String(error));
  }
}

/** Nothing that others may speak already is changed under them. */
export function checkBreaking(): Promise<void> {
  return buf("breaking", "--against", image);
}

/** What generation would write, by path; made in a folder of its own. */
export async function generate(): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), "stoa-gen-"));
  try {
    await buf("generate", "--output", folder);
    await buf("build", "--exclude-source-info", "--output", join(folder, image));
    return await filesUnder(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What was generated before and is in the tree. */
export async function present(): Promise<Map<string, Buffer>> {
  const files = await filesUnder(root, generated);
  const bytes = await readFile(join(root, image)).catch(() => undefined);
  return bytes === undefined ? files : files.set(image, bytes);
}

async function filesUnder(folder: string, within = "."): Promise<Map<string, Buffer>> {
  const entries = await readdir(join(folder, within), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // What seed 000's protoc command writes; never committed.
    .filter((path) => !path.startsWith(join(generated, "go")));
  return new Map(
    await Promise.all(files.map(async (path) => [path, await readFile(join(folder, path))] as const)),
  );
}

export function difference(wanted: Map<string, Buffer>, found: Map<string, Buffer>): string[] {
  const paths = new Set([...wanted.keys(), ...found.keys()]);
  return [...paths].filter((path) => !wanted.get(path)?.equals(found.get(path) ?? Buffer.of(0))).sort();
}

async function checkInStep(): Promise<void> {
  const stale = difference(await generate(), await present());
  if (stale.length > 0)
    throw new Error(`${stale.join("\n")}\nnot what the proto files say: run \`npm run gen\`.`);
}

async function main(): Promise<void> {
  const checks = {
    lint: () => buf("lint"),
    format: () => buf("format", "--diff", "--exit-code"),
    breaking: checkBreaking,
    generated: checkInStep,
  };
  const wanted = process.argv.slice(2);
  for (const [name, check] of Object.entries(checks)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    try {
      await check();
      console.log(`✓ proto ${name}`);
    } catch (error) {
      console.error(`✗ proto ${name}\n${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  }
}

if (import.meta.main) await main();
