import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SchemaDialect } from "#domain/contracts/schema";
import { tryCompileSchema } from "#domain/contracts/schema";

/** The official JSON Schema test suite, which lies beside the repository and not in it. */
const folder = fileURLToPath(
  new URL("../../../../../../../shared/json-schema-test-suite/tests/", import.meta.url),
);

export const suiteIsHere = existsSync(folder);

export interface SuiteGroup {
  /** `draft7/type.json: integer type matches integers` */
  readonly name: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** The groups of a folder whose schemas a capability may have. Numbers in the data keep their spelling: 1.0 stays 1.0. */
export function acceptedGroups(below: string, dialect: SchemaDialect = "subset"): SuiteGroup[] {
  return readdirSync(`${folder}${below}`)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(`${folder}${below}/${file}`, "utf8");
      const plain: { description: string; schema: unknown }[] = JSON.parse(text);
      const spelled: { tests: SuiteGroup["tests"] }[] = JSON.parse(text, keepSpelling);
      return plain.map(({ description, schema }, i) => {
        return { name: `${below}/${file}: ${description}`, schema, tests: spelled[i]?.tests ?? [] };
      });
    })
    .filter(({ schema }) => tryCompileSchema(schema, { dialect }).validator !== undefined);
}

// TypeScript's library does not know these two yet; Node has them since version 22.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
function keepSpelling(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" && context?.source !== undefined ? rawJSON(context.source) : value;
}
