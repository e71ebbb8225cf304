import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { compileGraph } from "./engine/ajv.ts";
import { Budget } from "./engine/budget.ts";
import { planFor } from "./engine/plan.ts";
import { tryCompileSchema } from "./index.ts";
import { readSchema } from "./read.ts";
import { readGroups, requireSuiteOnCi, type SuiteGroup, suiteIsHere } from "./testing/suite.ts";
import type { SchemaDialect } from "./types.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

requireSuiteOnCi();

const refusedList = JSON.parse(
  readFileSync(new URL("./refused-groups.json", import.meta.url), "utf8"),
) as Record<string, Record<string, string>>;

interface Outcome {
  readonly accepted: SuiteGroup[];
  readonly refused: Record<string, string>;
  readonly wrong: string[];
}

function run(groups: readonly SuiteGroup[], dialect: SchemaDialect): Outcome {
  const outcome: Outcome = { accepted: [], refused: {}, wrong: [] };
  for (const group of groups) {
    const name = `${group.file}: ${group.description}`;
    const { validator, problems } = tryCompileSchema(group.schema, { dialect });
    if (!validator) {
      outcome.refused[name] = `${problems[0]?.message} at ${problems[0]?.path}`;
      continue;
    }
    outcome.accepted.push(group);
    for (const test of group.tests) {
      const valid = validator.validate(test.data).length === 0;
      if (valid !== test.valid) outcome.wrong.push(`${name}: ${test.description}`);
    }
  }
  return outcome;
}

function report(dialect: string, { accepted, refused, wrong }: Outcome): void {
  const failed = new Set(wrong.map((name) => name.split(": ").slice(0, 2).join(": "))).size;
  console.log(
    `${dialect}: ${accepted.length} groups accepted, ${accepted.length - failed} passed, ` +
      `${Object.keys(refused).length} refused at load`,
  );
}

describe.skipIf(!suiteIsHere)(
  "the official suite (skipped where ../shared/json-schema-test-suite is missing)",
  () => {
    it("passes every group of draft 7 that the subset accepts", () => {
      const outcome = run(readGroups("draft7"), "subset");
      report("subset of draft-07", outcome);
      expect(outcome.wrong).toEqual([]);
      expect(outcome.accepted.length).toBe(115);
      for (const reason of Object.values(outcome.refused)) {
        expect(reason).toMatch(
          /^(unsupported keyword|a schema must be an object|items as a list|unknown format|\$schema|.* reference)/,
        );
      }
    });

    it.each([
      ["draft-07", "draft7", 231],
      ["2020-12", "draft2020-12", 330],
    ] as const)(
      "passes every group of %s that is accepted, and refuses those listed",
      (dialect, folder, count) => {
        const outcome = run(readGroups(folder), dialect);
        report(dialect, outcome);
        expect(outcome.wrong).toEqual([]);
        expect(outcome.accepted.length).toBe(count);
        expect(outcome.refused).toEqual(refusedList[dialect]);
      },
    );

    it("passes with compiled code alone, wherever compiled code is used", () => {
      const wrong: string[] = [];
      let compiledGroups = 0;
      for (const [dialect, folder] of [
        ["draft-07", "draft7"],
        ["2020-12", "draft2020-12"],
      ] as const) {
        for (const group of readGroups(folder)) {
          const { graph } = readSchema(group.schema, dialect);
          const plan = graph && planFor(graph);
          if (!graph || !plan || plan === "walk") continue;
          compiledGroups++;
          // Counted or not, called or written out: the verdict is the same.
          for (const one of [plan, { counted: true, inlined: false }]) {
            const check = compileGraph(graph, one, new Budget());
            for (const test of group.tests) {
              if (check(test.data) !== test.valid)
                wrong.push(`${group.file}: ${group.description}: ${test.description}`);
            }
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(compiledGroups).toBeGreaterThan(400);
    });

    it("passes the optional groups on numbers, regular expressions and characters outside the first plane", () => {
      const files = ["float-overflow.json", "non-bmp-regex.json", "bignum.json", "ecmascript-regex.json"];
      for (const [dialect, folder] of [
        ["draft-07", "draft7"],
        ["2020-12", "draft2020-12"],
      ] as const) {
        const groups = readGroups(folder, "optional/").filter(({ file }) => files.includes(file));
        const outcome = run(groups, dialect);
        report(`${dialect}, optional`, outcome);
        expect(outcome.wrong).toEqual([]);
        expect(outcome.accepted.length).toBeGreaterThan(groups.length / 2);
      }
    });

    it.each(["date-time", "email", "uri", "uri-reference", "uuid"])(
      "asserts format %s as the suite has it",
      (format) => {
        const groups = [
          ...readGroups("draft7", "optional/format/"),
          ...readGroups("draft2020-12", "optional/format/"),
        ]
          .filter(({ file }) => file === `${format}.json`)
          .map((group) => ({ ...group, schema: { format } }));
        const outcome = run(groups, "subset");
        expect(groups.length).toBeGreaterThan(0);
        expect(outcome.wrong).toEqual([]);
      },
    );
  },
);
