import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type FileProblem, Problems, startOfFile } from "#domain/contracts/yaml";

const MAX_FILE_BYTES = 1_000_000;
const MAX_ENTRIES = 1_000;

/**
 * The files of a fleet. Nothing outside its root is read, whatever links lie in it, and what cannot be read
 * becomes a problem of that file.
 */
export class FleetFiles {
  readonly root: string;
  readonly errors: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  /** Files that were read, in order. */
  readonly read: string[] = [];

  /** @param root must be a real path: the result of `realpath`. */
  constructor(root: string) {
    this.root = root;
  }

  /** A problem of a file or folder as a whole. */
  error(file: string, message: string): void {
    this.take(this.#with(file, (problems) => problems.error(startOfFile, message)));
  }

  warn(file: string, message: string): void {
    this.take(this.#with(file, (problems) => problems.warn(startOfFile, message)));
  }

  take({ errors, warnings }: Problems): void {
    this.errors.push(...errors);
    this.warnings.push(...warnings);
  }

  #with(file: string, report: (problems: Problems) => void): Problems {
    const problems = new Problems(file);
    report(problems);
    return problems;
  }

  /** The text of a file, given by its path from the root; undefined where there is none, or a problem. */
  async text(file: string): Promise<string | undefined> {
    const path = await this.#inside(file);
    if (path === undefined) return undefined;
    const bytes = await this.#bytes(file, path);
    if (bytes === undefined) return undefined;
    this.read.push(file);
    return this.#decode(file, bytes);
  }

  async #bytes(file: string, path: string): Promise<Buffer | undefined> {
    try {
      // Not blocking: opening a pipe that nobody writes to would wait forever.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stat = await handle.stat();
        if (!stat.isFile()) return this.#refuse(file, "this is not a file");
        if (stat.size > MAX_FILE_BYTES)
          return this.#refuse(file, `the file is larger than ${MAX_FILE_BYTES} bytes`);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      return this.#refuse(file, `the file cannot be read: ${codeOf(thrown)}`);
    }
  }

  #decode(file: string, bytes: Buffer): string | undefined {
    const [first, second] = bytes;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
      return this.#refuse(file, "the file is in UTF-16; save it as UTF-8");
    }
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return this.#refuse(file, "the file is not UTF-8 text");
    }
  }

  /** The folders or files in a folder, in alphabetical order; hidden ones are passed over. */
  async list(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
    const path = await this.#inside(folder);
    if (path === undefined) return [];
    try {
      const found = await readdir(path, { withFileTypes: true });
      const entries = found
        .filter(({ name }) => !name.startsWith("."))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      if (entries.length > MAX_ENTRIES) this.error(folder, `the folder has more than ${MAX_ENTRIES} entries`);
      return entries.slice(0, MAX_ENTRIES).map((entry) => ({
        name: entry.name,
        // A link may lead to a folder; whether it may be followed is decided when it is read.
        isFolder: entry.isDirectory() || entry.isSymbolicLink(),
      }));
    } catch (thrown) {
      this.error(folder, `the folder cannot be read: ${codeOf(thrown)}`);
      return [];
    }
  }

  async exists(file: string): Promise<boolean> {
    return (await this.#inside(file)) !== undefined;
  }

  path(file: string): string {
    return join(this.root, file);
  }

  /** The real path, if it exists and lies inside the root. */
  async #inside(file: string): Promise<string | undefined> {
    const path = this.path(file);
    try {
      await lstat(path);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
      return this.#refuse(file, `this cannot be read: ${codeOf(thrown)}`);
    }
    let real: string;
    try {
      real = await realpath(path);
    } catch (thrown) {
      return this.#refuse(file, `this link leads nowhere: ${codeOf(thrown)}`);
    }
    if (isInside(this.root, real)) return real;
    return this.#refuse(file, "this link leads out of the fleet's folder");
  }

  #refuse(file: string, message: string): undefined {
    this.error(file, message);
    return undefined;
  }
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way));
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
}
