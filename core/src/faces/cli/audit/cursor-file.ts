import { open, readFile, rename } from "node:fs/promises";
import { z } from "zod";
import { messageOf, StoaError } from "#platform/errors";

const schema = z.strictObject({
  v: z.literal(1),
  workspace: z.string(),
  next: z.number().int().nonnegative(),
});

/** Remembers how far an export has come, across restarts. */
export class CursorFile {
  readonly #path: string;
  #workspace: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The next record to export; undefined where nothing was exported yet. */
  async read(): Promise<number | undefined> {
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw this.#unusable(error.message);
    });
    if (text === undefined) return undefined;
    let cursor: z.infer<typeof schema>;
    try {
      cursor = schema.parse(JSON.parse(text));
    } catch {
      throw this.#unusable("it holds no cursor");
    }
    this.#workspace = cursor.workspace;
    return cursor.next;
  }

  /** A place in one workspace's chain means nothing in another's. */
  check(workspace: string): void {
    if (this.#workspace !== undefined && this.#workspace !== workspace) {
      throw this.#unusable(`it belongs to the workspace ${JSON.stringify(this.#workspace)}`);
    }
    this.#workspace = workspace;
  }

  /** Replaced whole, and on the disk before anything more is exported: a crash repeats records and skips none. */
  async write(next: number): Promise<void> {
    const draft = `${this.#path}.new`;
    try {
      const file = await open(draft, "w", 0o600);
      try {
        await file.writeFile(`${JSON.stringify({ v: 1, workspace: this.#workspace, next })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.#path);
    } catch (error) {
      throw new StoaError(
        "FILE_INVALID",
        `The cursor cannot be written to ${this.#path}: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  }

  #unusable(problem: string): StoaError {
    return new StoaError(
      "FILE_INVALID",
      `The cursor file ${this.#path} cannot be used: ${problem}. Name another one, or delete it to export from the start.`,
    );
  }
}
