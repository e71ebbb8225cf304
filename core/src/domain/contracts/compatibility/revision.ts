import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { StoaError } from "#platform/errors";

const run = promisify(execFile);
const maxOutput = 4_000_000;

/** A commit of the repository around a folder. */
export class Revision {
  /** As it was asked for. */
  readonly name: string;
  readonly #commit: string;

  private constructor(name: string, commit: string) {
    this.name = name;
    this.#commit = commit;
  }

  /** @throws StoaError INVALID_ARGUMENT where it names no commit there */
  static async find(name: string, folder: string): Promise<Revision> {
    const refuse = (why: string, cause?: unknown) =>
      new StoaError("INVALID_ARGUMENT", `${JSON.stringify(name)} ${why}`, { cause });
    // What starts with a dash would be an option to git, and a colon would ask for something that is no commit.
    if (!/^[^-:\s\p{C}][^:\s\p{C}]{0,255}$/u.test(name)) throw refuse("is neither a file nor a git ref.");
    const { stdout } = await git(folder, [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${name}^{commit}`,
    ]).catch((cause: unknown) => {
      if ((cause as { code?: unknown }).code === "ENOENT")
        throw refuse("is no file, and git is not installed.", cause);
      throw refuse(`is neither a file nor a commit of the git repository around ${folder}.`, cause);
    });
    return new Revision(name, stdout.trim());
  }

  /** A file's text as it was; undefined where there was none. */
  async textOf(folder: string, file: string): Promise<string | undefined> {
    const files = await this.filesIn(folder, file);
    if (!files.includes(file)) return undefined;
    const { stdout } = await git(folder, ["cat-file", "blob", `${this.#commit}:./${file}`]);
    return stdout;
  }

  /** Paths of what was below a path of a folder, from that folder. */
  async filesIn(folder: string, path: string): Promise<string[]> {
    const { stdout } = await git(folder, ["ls-tree", "-r", "-z", "--name-only", this.#commit, "--", path]);
    return stdout.split("\0").filter((line) => line !== "");
  }
}

async function git(folder: string, args: readonly string[]): Promise<{ stdout: string }> {
  // Pathspecs are taken as they are written, and nothing waits for a person.
  const env = {
    ...process.env,
    GIT_LITERAL_PATHSPECS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
  return run("git", args, { cwd: folder, env, maxBuffer: maxOutput });
}
