import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export const FLEET_FILE = "fleet.yaml";

/** The nearest folder, from this one upwards, that has a fleet.yaml. */
export async function findFleetRoot(start: string): Promise<string | undefined> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const found = await stat(join(folder, FLEET_FILE)).catch(() => undefined);
    if (found?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
