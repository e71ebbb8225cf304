import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf, StoaError } from "#platform/errors";
import type { Io } from "../io.ts";

export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new StoaError("FILE_INVALID", `${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  }
}

/** A file, or standard input for `-`. */
export async function readJson(path: string, { stdin }: Io): Promise<unknown> {
  const content = path === "-" ? await text(stdin) : await readText(path);
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new StoaError(
      "FILE_INVALID",
      `${path === "-" ? "Standard input" : path} is not JSON: ${messageOf(error)}.`,
    );
  }
}
