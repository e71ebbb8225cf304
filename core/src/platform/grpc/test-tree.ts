// A copy of what the seeds' commands need, so that tests can run them without writing into the project.
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const project = fileURLToPath(new URL("../../../../", import.meta.url));

export interface Finished {
  readonly code: number;
  readonly output: string;
}

/** Runs a command line as a reader of the seeds would type it, with these folders first on the PATH. */
export function shell(line: string, cwd: string, folders: string[] = [], env = {}): Promise<Finished> {
  const path = [...folders, dirname(process.execPath), process.env.PATH].join(delimiter);
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, PATH: path, ...env } };
    execFile("sh", ["-c", line], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` });
    });
  });
}

/** The proto files and what is beside them, in a folder of the test's own. */
export async function copyOfTree(): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), "stoa-tree-"));
  onTestFinished(() => rm(tree, { recursive: true }));
  for (const name of ["proto", "buf.yaml", "buf.gen.yaml", "package.json", ".gitignore"]) {
    await cp(join(project, name), join(tree, name), {
      recursive: true,
      filter: (source) => !source.endsWith("node_modules"),
    });
  }
  for (const name of ["check-proto.ts", "gen.ts"]) {
    await cp(join(project, "scripts", name), join(tree, "scripts", name));
  }
  await symlink(join(project, "node_modules"), join(tree, "node_modules"));
  return tree;
}
