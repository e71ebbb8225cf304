import { expect, test } from "vitest";
import { checkLayering } from "./layering.ts";

const empty = "export {};\n";
const tree = {
  "core/src/core.ts": `import "#faces/grpc";\n`,
  "core/src/domain/ledger/index.ts": `export { append } from "./append.ts";\n`,
  "core/src/domain/ledger/append.ts": `import { open } from "#platform/store";\nexport const append = open;\n`,
  "core/src/domain/memory/index.ts": empty,
  "core/src/domain/contracts/schema/index.ts": empty,
  "core/src/domain/contracts/schema/read.ts": empty,
  "core/src/domain/contracts/yaml/index.ts": empty,
  "core/src/faces/cli/index.ts": `import { core } from "../../core.ts";\nimport "#faces/grpc";\n`,
  "core/src/faces/grpc/index.ts": `import { append } from "#domain/ledger";\n`,
  "core/src/faces/http/index.ts": empty,
  "core/src/platform/store/index.ts": `export { open } from "./open.ts";\n`,
  "core/src/platform/store/open.ts": `import Database from "better-sqlite3";\nimport { z } from "zod/v4";\n`,
  "core/src/platform/store/tables/index.ts": empty,
  "core/src/platform/store/tables/agents.ts": `import type { open } from "../open.ts";\n`,
  "core/bin/stoa.js": `import { main } from "../src/faces/cli/index.ts";\n`,
  "sdk/typescript/src/index.ts": `import * as grpc from "@grpc/grpc-js";\n`,
  "test/services/index.ts": `import { test } from "vitest";\n`,
};
const dependencies = new Map([
  ["core", ["better-sqlite3", "zod"]],
  ["sdk/typescript", ["@grpc/grpc-js"]],
]);

/** What the checks say of the tree above with these files added or replaced. */
function messages(changed: Record<string, string>): string[] {
  const files = new Map(Object.entries({ ...tree, ...changed }));
  return checkLayering({ files, dependencies }).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );
}

test("a tree that keeps the rules has no violation", () => {
  expect(messages({})).toEqual([]);
});

test.each([
  [
    "platform imports domain",
    "core/src/platform/store/open.ts",
    `import "#domain/ledger";`,
    "platform must not import domain",
  ],
  [
    "platform imports a type of the domain",
    "core/src/platform/store/open.ts",
    `import type { A } from "#domain/ledger";`,
    "platform must not import domain",
  ],
  [
    "domain imports faces",
    "core/src/domain/memory/index.ts",
    `export * from "#faces/grpc";`,
    "domain must not import faces",
  ],
  [
    "domain imports core.ts",
    "core/src/domain/memory/index.ts",
    `import { core } from "../../core.ts";`,
    "domain must not import core",
  ],
  [
    "faces import core.ts",
    "core/src/faces/grpc/index.ts",
    `import { core } from "../../core.ts";`,
    "faces must not import core",
  ],
  [
    "core.ts imports the command line",
    "core/src/core.ts",
    `import "#faces/cli";`,
    "core must not import command line",
  ],
  [
    "a face imports another",
    "core/src/faces/http/index.ts",
    `import "#faces/grpc";`,
    "a face must not import another face",
  ],
  [
    "upwards, dynamically",
    "core/src/platform/store/open.ts",
    `const x = await import("#domain/ledger");`,
    "platform must not import domain",
  ],
  [
    "upwards, in a type",
    "core/src/platform/store/open.ts",
    `let x: import("#domain/ledger").A;`,
    "platform must not import domain",
  ],
  [
    "into another folder by its path",
    "core/src/domain/memory/index.ts",
    `import { append } from "../ledger/append.ts";`,
    "reaches into domain/ledger",
  ],
  [
    "another folder's index by its path",
    "core/src/domain/memory/index.ts",
    `import { append } from "../ledger/index.ts";`,
    "reaches into domain/ledger",
  ],
  [
    "a group's folder by its path",
    "core/src/domain/contracts/yaml/index.ts",
    `import "../schema/read.ts";`,
    "reaches into domain/contracts/schema",
  ],
  [
    "behind the index of an inner folder",
    "core/src/platform/store/open.ts",
    `import "./tables/agents.ts";`,
    "reaches behind core/src/platform/store/tables/index.ts",
  ],
  [
    "its own folder by name",
    "core/src/platform/store/open.ts",
    `import "#platform/store";`,
    "is this folder itself",
  ],
  [
    "shipped code imports test code",
    "core/src/platform/store/open.ts",
    `import "../../../../test/services/index.ts";`,
    "is for tests and tooling",
  ],
  [
    "shipped code imports a test's suite",
    "core/src/platform/store/open.ts",
    `import "./store.suite.ts";`,
    "is for tests and tooling",
  ],
  [
    "shipped code imports vitest",
    "core/src/platform/store/open.ts",
    `import { test } from "vitest";`,
    "is for tests and tooling",
  ],
  [
    "the SDK imports the core by name",
    "sdk/typescript/src/index.ts",
    `import "@stoa/core";`,
    "the SDK must not import the core",
  ],
  [
    "the SDK imports the core by path",
    "sdk/typescript/src/index.ts",
    `import "../../../core/src/core.ts";`,
    "the SDK must not import the core",
  ],
  ["the core imports the SDK", "core/src/core.ts", `import "@stoa/sdk";`, "the core must not import the SDK"],
  [
    "a package nobody declared",
    "core/src/core.ts",
    `import "@scope/thing/deep";`,
    "@scope/thing is not in the dependencies of core/package.json",
  ],
])("%s: is told", (_, file, source, expected) => {
  const found = messages({ [file]: `\n${source}\n` });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`${file}:2: `);
  expect(found[0]).toContain(expected);
});

test("folders that import each other in a circle are told once, also around a corner", () => {
  const found = messages({
    "core/src/domain/ledger/index.ts": `import "#domain/memory";`,
    "core/src/domain/memory/index.ts": `import type { A } from "#domain/contracts/schema";`,
    "core/src/domain/contracts/schema/index.ts": `import "#domain/ledger";`,
  });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(
    "in a circle: domain/ledger → domain/memory → domain/contracts/schema → domain/ledger",
  );
});

test("a test may use test code, any layer and its own folder, but not what is behind another's index", () => {
  const file = "core/src/platform/store/store.test.ts";
  expect(
    messages({ [file]: `import "../../../../test/services/index.ts";\nimport "#domain/ledger";\n` }),
  ).toEqual([]);
  expect(messages({ [file]: `import "./tables/agents.ts";` })).toEqual([]);
  expect(messages({ [file]: `import "../../domain/ledger/append.ts";` })).toHaveLength(1);
});

test("what looks like an import in a string or a comment is none", () => {
  const source = `// import "#faces/grpc";\nexport const text = \`import x from "#faces/grpc";\`;\n`;
  expect(messages({ "core/src/platform/store/open.ts": source })).toEqual([]);
});
