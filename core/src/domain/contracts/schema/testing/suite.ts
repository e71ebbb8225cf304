import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The official JSON Schema test suite, which lies beside the repository and not in it. */
const folder = fileURLToPath(
  new URL("../../../../../../../shared/json-schema-test-suite/tests/", import.meta.url),
);

export interface SuiteGroup {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

export const suiteIsHere = existsSync(folder);

/** Where it is missing, tests that need it are skipped; on a build machine that would hide a fault. */
export function requireSuiteOnCi(): void {
  if (!suiteIsHere && process.env.CI === "true") {
    throw new Error("the JSON Schema test suite is not at ../shared/json-schema-test-suite");
  }
}

export function readGroups(draft: "draft7" | "draft2020-12", below = ""): SuiteGroup[] {
  const path = `${folder}${draft}/${below}`;
  return readdirSync(path)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const groups = JSON.parse(readFileSync(`${path}${file}`, "utf8")) as Omit<SuiteGroup, "file">[];
      return groups.map((group) => ({ file, ...group }));
    });
}
