import { chmod, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

// The path of a unix socket has room for 107 bytes, and Docker's are five folders deep.
const longestBase = 40;

/** A folder for one run that every user may pass through, since PostgreSQL runs as another user where this one is root. */
export async function createRunFolder(): Promise<string> {
  const wanted = tmpdir();
  const usable = wanted.length <= longestBase && (await openToAll(wanted));
  const folder = await mkdtemp(join(usable ? wanted : "/tmp", "stoa-"));
  await chmod(folder, 0o755);
  return folder;
}

/** Whether every user can reach what is in this folder. */
export async function openToAll(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
