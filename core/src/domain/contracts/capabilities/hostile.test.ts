import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseManifest, readManifest } from "#domain/contracts/manifest";
import { Problems } from "#domain/contracts/yaml";
import { isStoaError } from "#platform/errors";
import { parseCapabilitiesConfig } from "./index.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

const SEED = 20_245;

/** Either it is read, or it is refused with problems that have a place. */
function readOrRefused(read: () => unknown): void {
  try {
    read();
  } catch (thrown) {
    if (!isStoaError(thrown, "FILE_INVALID")) throw thrown;
    const problems = thrown.details.problems as { line: number; column: number; message: string }[];
    expect(problems.length).toBeGreaterThan(0);
    for (const { line, column, message } of problems) {
      expect(line).toBeGreaterThan(0);
      expect(column).toBeGreaterThan(0);
      expect(message).not.toBe("");
    }
  }
}

const good = `version: 1
agent: agent://a
transports: [{kind: memory, topics: {requests: r}}]
capabilities:
  - name: x
    timeoutMs: 10
    since: "1.0.0"
    inputSchema: {type: object, properties: {a: {type: string, pattern: "^a"}}, required: [a]}
`;
const manifest = `id: a
image: file:./x.ts
tools:
  - name: t
    description: d
    input_schema: {type: object, properties: {a: {type: integer, multipleOf: 2}}}
network: {mode: allowlist, hosts: [a.b:1]}
credentials: [{name: A, scope: user}]
`;
const pieces = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ":",
  ": ",
  "- ",
  "\n",
  "\n  ",
  "\t",
  '"',
  "'",
  "#",
  "&a ",
  "*a",
  "!",
  "!!binary ",
  "|",
  ">",
  "? ",
  "%",
  "@",
  "---\n",
  "...\n",
  "<<: ",
  "~",
  "null",
  "-1",
  "1e999",
  "0x",
  ".inf",
  "true",
  "__proto__",
  "\0",
  "\u2028",
  "\ud800",
  "😀",
  ",",
  "  ",
);

/** A good file with a few pieces put in, and a few cut out. */
const broken = (text: string) =>
  fc.array(fc.tuple(fc.nat(text.length), fc.nat(6), pieces), { minLength: 1, maxLength: 4 }).map((edits) => {
    let result = text;
    for (const [at, cut, piece] of edits) result = result.slice(0, at) + piece + result.slice(at + cut);
    return result;
  });

describe("broken contract files", () => {
  it("are read or refused, as text", () => {
    fc.assert(
      fc.property(broken(good), broken(manifest), (capabilities, tools) => {
        readOrRefused(() => parseCapabilitiesConfig(capabilities));
        readOrRefused(() => parseManifest(tools));
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  it("are read or refused, as values", () => {
    const keys = fc.constantFrom(
      "version",
      "agent",
      "transports",
      "capabilities",
      "name",
      "kind",
      "topics",
      "inputSchema",
      "since",
      "id",
      "image",
      "tools",
      "input_schema",
      "network",
      "hosts",
      "credentials",
      "__proto__",
      "constructor",
      "",
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          null,
          undefined,
          1,
          -1,
          Number.NaN,
          true,
          "",
          "agent://a",
          "memory",
          "a",
          1n,
          () => 1,
          new Date(0),
        ),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, (raw) => {
        readOrRefused(() => parseCapabilitiesConfig(raw));
        const problems = new Problems("x");
        if (readManifest(raw, problems) === undefined) expect(problems.errors.length).toBeGreaterThan(0);
      }),
      { seed: SEED, numRuns: 3_000 },
    );
    expect(({} as Record<string, unknown>).agent).toBeUndefined();
  });
});
