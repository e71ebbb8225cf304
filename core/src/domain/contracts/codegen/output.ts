import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoaError } from "#platform/errors";
import type { GeneratedFile } from "./generate.ts";
import { mark, sourceLine } from "./header.ts";

export type FileState = "fresh" | "stale" | "missing";

/** How the file on disk compares with what would be generated now. */
export async function compareGenerated(folder: string, file: GeneratedFile): Promise<FileState> {
  const found = await readIfThere(join(folder, file.path));
  if (found === undefined) return "missing";
  return found === file.text ? "fresh" : "stale";
}

/** Writes the file, all of it or nothing. @returns whether it changed */
export async function writeGenerated(folder: string, file: GeneratedFile, agent: string): Promise<boolean> {
  const path = join(folder, file.path);
  const before = await readIfThere(path);
  if (before === file.text) return false;
  if (before !== undefined) refuseAnotherAgents(before, path, agent);
  await mkdir(dirname(path), { recursive: true });
  // Renaming puts the file where it belongs even if a link of that name leads somewhere else.
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, file.text, { flag: "wx" });
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw unwritable(path, thrown);
  }
  return true;
}

/** `a-b` and `a_b` make the same Python module: the second must not take the first one's place unseen. */
function refuseAnotherAgents(before: string, path: string, agent: string): void {
  const head = before.slice(0, 2_000);
  const source = /^(?:\/\/|#) (Source: agent:\/\/.*)$/m.exec(head)?.[1];
  if (!head.includes(mark) || source === undefined || source === sourceLine(agent)) return;
  throw new StoaError(
    "ALREADY_EXISTS",
    `${path} was generated from ${source.slice("Source: ".length)}, whose name leads to the same file. Choose another folder with --out.`,
  );
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unwritable(path, thrown);
  }
}

function unwritable(path: string, cause: unknown): StoaError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
  return new StoaError("FAILED_PRECONDITION", `${path} cannot be written: ${code}.`, { cause });
}
