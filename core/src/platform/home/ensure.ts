import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, StoaError } from "#platform/errors";

/** Makes the home folder, for its owner only, and says clearly why where that cannot be. */
export function ensureHome(home: string): void {
  try {
    makeFolder(home, 0o700);
    if (!statSync(home).isDirectory()) throw new Error("it is not a folder");
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(home, error);
  }
}

/** Not Node's own recursive way: that one never returns where the parent exists and refuses with ENOENT (/proc). */
function makeFolder(path: string, mode: number): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, 0o777);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

export function unwritable(path: string, cause: unknown): StoaError {
  return new StoaError(
    "HOME_UNWRITABLE",
    `${path} cannot be used as the data folder: ${reason(cause)}. Give this user write access to it, or set ` +
      "STOA_HOME (or --home) to another folder.",
    { details: { path }, cause },
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EEXIST: "a file with this name is in the way",
  ENOENT: "a folder cannot be made there",
  ENOTDIR: "a part of the path is a file",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
};

function reason(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  return (code === undefined ? undefined : reasons[code]) ?? messageOf(cause);
}
