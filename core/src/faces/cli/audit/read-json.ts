import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { messageOf, StoaError } from "#platform/errors";
import type { Io } from "../io.ts";

export async function readText(path: string, { cwd }: Io): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (error) {
    throw new StoaError("FILE_INVALID", `${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

/** A file, or standard input for `-`. */
export async function readJson(path: string, io: Io): Promise<unknown> {
  const content = path === "-" ? await text(io.stdin) : await readText(path, io);
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new StoaError(
      "FILE_INVALID",
      `${path === "-" ? "Standard input" : path} is not JSON: ${messageOf(error)}.`,
    );
  }
}
