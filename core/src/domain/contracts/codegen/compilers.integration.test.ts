import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { randomSchema, randomValue, seeded } from "#domain/contracts/compatibility/testing";
import { compileSchema } from "#domain/contracts/schema";
import { readSchema } from "#domain/contracts/schema/structure";
import { describeWith } from "../../../../../test/services/index.ts";
import type { CodegenCapability } from "./index.ts";
import { hostileCapabilities, nastyTexts } from "./testing/hostile.ts";
import { acceptedGroups, type SuiteGroup, suiteIsHere } from "./testing/suite.ts";
import { type Case, type Outcome, type Report, Workshop } from "./testing/workshop.ts";

const exceptions: Record<"python" | "go", Record<string, string>> = JSON.parse(
  readFileSync(new URL("./suite-exceptions.json", import.meta.url), "utf8"),
);

/** A case, what should come of it, and what to call it. */
interface Expected extends Case {
  readonly name: string;
  readonly valid: boolean;
}

// Several compilers over tens of thousands of lines, on a machine that may be busy.
vi.setConfig({ testTimeout: 400_000 });

if (!suiteIsHere && process.env.CI === "true") {
  throw new Error("the JSON Schema test suite is not at ../shared/json-schema-test-suite");
}

describeWith(["tsc", "mypy", "pydantic", "go"], "generated code and the real compilers", (services) => {
  let workshop: Workshop;
  const groups = suiteIsHere ? suiteGroups() : [];
  const random = randomCases(250, 16);
  const hostile = hostileCases(60);
  const expected = [...suiteCases(groups), ...random.cases, ...hostile.cases];

  beforeAll(async () => {
    workshop = await Workshop.open(services);
    const suite = groups.map(({ schema }, i) => ({ name: `group-${i}`, inputSchema: schema }));
    if (suiteIsHere) await workshop.add("suite", suite);
    await workshop.add("randoms", random.capabilities);
    await workshop.add("hostile", hostile.capabilities);
  });
  afterAll(() => workshop?.close());

  if (!suiteIsHere)
    test.skip("the official suite is not at ../shared/json-schema-test-suite", () => undefined);

  test("TypeScript compiles with tsc --strict, and holds nothing but what it should", async () => {
    expect(await workshop.compile("ts")).toBe("");
    expectNoBreakOut(await workshop.typeScriptNames());
  });

  describe.each(["python", "go"] as const)("%s", (language) => {
    let report: Report;
    test(language === "go" ? "is content with go vet" : "is content with mypy --strict", async () => {
      expect(await workshop.compile(language)).toBe("");
    });

    test("accepts what is valid, refuses what is not, and gives back what it took", async () => {
      report = await workshop.accept(language, expected);
      const listed = exceptions[language];
      const wrong = expected.flatMap(({ name, valid }, i) => {
        const found = report.outcomes[i];
        if (found?.problem !== undefined) return [`${name}: ${found.problem}`];
        return found?.accepted === valid || Object.hasOwn(listed, name)
          ? []
          : [`${name}: ${told(found, valid)}`];
      });
      const valid = expected.filter((each) => each.valid).length;
      console.log(
        `${language}: ${expected.length} payloads (${valid} valid), ${groups.length} groups of the suite, ${random.capabilities.length} random and ${hostile.capabilities.length} hostile schemas; ${Object.keys(listed).length} exceptions`,
      );
      expect(wrong.slice(0, 5)).toEqual([]);
      // An exception that is none any more has to go from the list.
      const needless = Object.keys(listed).filter((name) => {
        const i = expected.findIndex((each) => each.name === name);
        return suiteIsHere && report.outcomes[i]?.accepted === expected[i]?.valid;
      });
      expect(needless).toEqual([]);
    });

    test("holds nothing but what it should, in its language's own format", () => {
      expectNoBreakOut(report.names);
      expect(report.unformatted ?? []).toEqual([]);
    });
  });
});

function told(found: Outcome | undefined, valid: boolean): string {
  return found?.accepted ? "was accepted" : `${valid ? "was refused" : "?"}: ${found?.reason ?? "nothing"}`;
}

/** Every nasty text that could have become code would have left this name behind. */
function expectNoBreakOut(names: Readonly<Record<string, readonly string[]>>): void {
  expect(Object.keys(names).sort()).toEqual(["hostile", "randoms", ...(suiteIsHere ? ["suite"] : [])]);
  for (const list of Object.values(names)) {
    expect(list.length).toBeGreaterThan(10);
    expect(list.filter((name) => /^(?:export )?(?:var |const )?pwned/i.test(name))).toEqual([]);
  }
}

function suiteGroups(): SuiteGroup[] {
  const optional = ["draft7/optional", "draft7/optional/format"].flatMap((folder) => acceptedGroups(folder));
  const newer = acceptedGroups("draft2020-12").filter(
    ({ schema }) => !JSON.stringify(schema).includes('"unevaluated'),
  );
  return [...acceptedGroups("draft7"), ...optional, ...newer];
}

function suiteCases(groups: readonly SuiteGroup[]): Expected[] {
  return groups.flatMap(({ name, schema, tests }, i) => {
    // The required tests say what is right. Beyond them, the validator does: some optional ones contradict each other.
    const validator = name.startsWith("draft7/optional") ? compileSchema(schema) : undefined;
    return tests.map(({ description, data, valid }) => {
      const judged = validator ? validator.validate(JSON.parse(JSON.stringify(data))).length === 0 : valid;
      return {
        module: "suite",
        capability: `group-${i}`,
        data,
        name: `${name}: ${description}`,
        valid: judged,
      };
    });
  });
}

function randomCases(schemas: number, values: number) {
  const cases: Expected[] = [];
  const capabilities: CodegenCapability[] = [];
  for (let seed = 0; seed < schemas; seed++) {
    const pick = seeded(seed);
    const schema = randomSchema(pick);
    const { graph } = readSchema(schema, "subset");
    if (!graph) throw new Error(`schema ${seed} cannot be used`);
    const validator = compileSchema(schema);
    const capability = `random-${seed}`;
    capabilities.push({ name: capability, inputSchema: schema });
    for (let i = 0; i < values; i++) {
      const data = randomValue(pick, graph.root);
      const name = `${JSON.stringify(schema)} ${JSON.stringify(data)}`;
      cases.push({ module: "randoms", capability, data, name, valid: validator.validate(data).length === 0 });
    }
  }
  return { cases, capabilities };
}

function hostileCases(count: number) {
  const capabilities = hostileCapabilities(count);
  const cases: Expected[] = [];
  for (const { name: capability, inputSchema } of capabilities) {
    const { graph, problems } = readSchema(inputSchema, "subset");
    if (!graph) throw new Error(`${capability}: ${JSON.stringify(problems)}`);
    const validator = compileSchema(inputSchema);
    for (let seed = 0; seed < 8; seed++) {
      const data = randomValue(seeded(seed), graph.root);
      // Half a surrogate pair is no text to Python's and Go's JSON.
      if (/\\ud[89a-f]/i.test(JSON.stringify(data))) continue;
      const name = `${capability} ${JSON.stringify(inputSchema)} ${JSON.stringify(data)}`;
      cases.push({ module: "hostile", capability, data, name, valid: validator.validate(data).length === 0 });
    }
  }
  if (!capabilities.some(({ description }) => description === nastyTexts[0]))
    throw new Error("too few were tried");
  return { cases, capabilities };
}
