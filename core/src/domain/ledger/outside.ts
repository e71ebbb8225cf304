import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, StoaError } from "#platform/errors";
import { canonicalJson } from "./canonical-json.ts";
import { type Checkpoint, checkpointSchema } from "./checkpoint.ts";
import { linesOf } from "./lines.ts";

/** Takes checkpoints somewhere that whoever can write the database cannot reach. */
export interface CheckpointSink {
  readonly name: string;
  append(checkpoint: Checkpoint): Promise<void>;
}

/** A line of the file that is no checkpoint. */
export interface DamagedLine {
  readonly damaged: string;
}

/** The checkpoints beside the database: one file for a workspace, one line for a checkpoint, only ever appended to. */
export class CheckpointFiles implements CheckpointSink {
  readonly name = "checkpoint files";
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(workspace: string): string {
    return join(this.#folder, fileName(workspace));
  }

  async append(checkpoint: Checkpoint): Promise<void> {
    const path = this.path(checkpoint.workspace);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const file = await open(path, "a+", 0o600);
      try {
        const { torn, end } = await readTail(file);
        if (torn) await file.truncate(end);
        await file.appendFile(`${canonicalJson(checkpoint)}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new StoaError(
        "HOME_UNWRITABLE",
        `The checkpoint cannot be written to ${path}: ${messageOf(error)}.`,
        {
          cause: error,
        },
      );
    }
  }

  /** In the order in which they were written. A last line without its end was cut off by a crash and is skipped. */
  async *read(workspace: string): AsyncGenerator<Checkpoint | DamagedLine> {
    const path = this.path(workspace);
    const file = await openIfThere(path);
    if (file === undefined) return;
    try {
      let number = 0;
      for await (const { text, whole } of linesOf(file.createReadStream({ autoClose: false, start: 0 }))) {
        number++;
        if (whole) yield* parseLine(text, workspace, `${path}:${number}`);
      }
    } finally {
      await file.close();
    }
  }

  /** The one that covers most. */
  async last(workspace: string): Promise<Checkpoint | undefined> {
    const file = await openIfThere(this.path(workspace));
    if (file === undefined) return undefined;
    let last: Checkpoint | undefined;
    const consider = (found: Checkpoint | DamagedLine) => {
      if (!("damaged" in found) && found.size > (last?.size ?? 0)) last = found;
    };
    try {
      for (const line of (await readTail(file)).lines) parseLine(line, workspace, "").forEach(consider);
    } finally {
      await file.close();
    }
    // Nothing of this workspace near the end: the file is shared or damaged, and worth a full look.
    if (last === undefined) for await (const found of this.read(workspace)) consider(found);
    return last;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new StoaError("HOME_UNWRITABLE", `${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

/** The whole lines at the end of the file, whether a part of one follows, and where that begins. */
async function readTail(file: FileHandle): Promise<{ lines: string[]; torn: boolean; end: number }> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, 8192));
  await file.read(tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf(0x0a) + 1;
  const lines = tail
    .toString("utf8", 0, end)
    .split("\n")
    .slice(tail.length < size ? 1 : 0, -1);
  return { lines, torn: end < tail.length, end: size - tail.length + end };
}

function* parseLine(line: string, workspace: string, where: string): Generator<Checkpoint | DamagedLine> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    yield { damaged: `${where} is not JSON` };
    return;
  }
  const parsed = checkpointSchema.safeParse(value);
  if (!parsed.success) yield { damaged: `${where} is no checkpoint` };
  // Two workspaces can share a file where the file system does not tell "A" from "a".
  else if (parsed.data.workspace === workspace) yield parsed.data;
}

/** A workspace's name may hold anything; its file's name holds nothing that a path or a file system gives meaning to. */
export function fileName(workspace: string): string {
  const plain = /^[A-Za-z0-9_-]{1,100}$/.test(workspace);
  return `${plain ? workspace : `~${createHash("sha256").update(workspace).digest("hex")}`}.jsonl`;
}
