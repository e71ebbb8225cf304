import { describe, expect, it } from "vitest";
import type { FileProblem } from "#domain/contracts/yaml";
import { isStoaError } from "#platform/errors";
import {
  compareVersions,
  isVersion,
  type ParseCapabilitiesOptions,
  parseCapabilitiesConfig,
} from "./index.ts";

// The example of the contract, word for word.
const example = `version: 1
agent: agent://pr-reviewer
transports:
  - kind: memory
    topics:
      requests: agents.pr-reviewer.requests
capabilities:
  - name: review-pr
    description: Review a GitHub pull request.
    timeoutMs: 60000
    idempotent: true
    since: "1.1.0"
    inputSchema:
      type: object
      properties:
        prUrl: { type: string, description: "GitHub PR URL." }
        severity: { enum: [low, med, high] }
      required: [prUrl, severity]
      additionalProperties: false
    outputSchema:
      type: object
      properties:
        verdict: { enum: [approve, request-changes, comment] }
        summary: { type: string }
      required: [verdict, summary]
`;

function problemsOf(raw: unknown, options: ParseCapabilitiesOptions = {}): string[] {
  try {
    parseCapabilitiesConfig(raw, options);
    return [];
  } catch (thrown) {
    if (!isStoaError(thrown, "FILE_INVALID")) throw thrown;
    const problems = thrown.details.problems as FileProblem[];
    return problems.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
  }
}
const withCapability = (lines: string) =>
  `version: 1\nagent: agent://a\ncapabilities:\n  - name: x\n${lines}`;

describe("capabilities.yaml", () => {
  it("is read as in the contract", () => {
    const { capabilities, ...config } = parseCapabilitiesConfig(example);
    expect(config).toEqual({
      version: 1,
      agent: "agent://pr-reviewer",
      agentId: "pr-reviewer",
      transports: [{ kind: "memory", requests: "agents.pr-reviewer.requests" }],
      warnings: [],
    });
    expect(capabilities).toHaveLength(1);
    const [capability] = capabilities;
    expect(capability).toMatchObject({
      name: "review-pr",
      description: "Review a GitHub pull request.",
      timeoutMs: 60_000,
      idempotent: true,
      since: "1.1.0",
      skill: "review-pr",
      inputDialect: "subset",
    });
    expect(JSON.stringify(capability?.inputSchema)).toBe(
      '{"type":"object","properties":{"prUrl":{"type":"string","description":"GitHub PR URL."},"severity":{"enum":["low","med","high"]}},"required":["prUrl","severity"],"additionalProperties":false}',
    );
    expect(capability?.input?.validate({ prUrl: "x", severity: "max" })).toEqual([
      { path: "/severity", message: 'value not in enum ["low", "med", "high"]' },
    ]);
    expect(capability?.output?.validate({ verdict: "approve", summary: "fine" })).toEqual([]);
  });

  it("is the same from an object that was parsed elsewhere", () => {
    const raw = {
      version: 1,
      agent: "agent://a",
      transports: [
        { kind: "nats", servers: ["nats://localhost:4222"], subjects: { requests: "r", responses: "s" } },
      ],
      capabilities: [{ name: "Ask", skill: "answer", minSchemaVersion: "2.0.0", since: "1.0.0" }],
    };
    expect(parseCapabilitiesConfig(raw)).toMatchObject({
      transports: [{ kind: "nats", servers: ["nats://localhost:4222"], requests: "r", responses: "s" }],
      capabilities: [{ name: "Ask", skill: "answer", idempotent: false, minSchemaVersion: "2.0.0" }],
    });
    expect(problemsOf({ ...raw, capabilities: [{ name: 1n }] })[0]).toMatch(/^1:1 \/capabilities\/0\/name /);
  });

  it("takes any JSON where there is no schema", () => {
    const [capability] = parseCapabilitiesConfig(withCapability("")).capabilities;
    expect(capability).toEqual({ name: "x", idempotent: false, skill: "x" });
  });

  it("carries schemas along unchecked where that is asked for", () => {
    const text = withCapability("    inputSchema: {type: nonsense, patternProperties: 1}\n");
    const [capability] = parseCapabilitiesConfig(text, { validateSchemas: false }).capabilities;
    expect(capability?.inputSchema).toEqual({ type: "nonsense", patternProperties: 1 });
    expect(capability?.input).toBeUndefined();
    expect(problemsOf(text)).toHaveLength(2);
  });

  it("reads a schema of 2020-12 as that", () => {
    const text = withCapability(
      '    inputSchema: {$schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{type: string}]}\n',
    );
    const [capability] = parseCapabilitiesConfig(text).capabilities;
    expect(capability?.inputDialect).toBe("2020-12");
    expect(capability?.input?.validate([1])).toHaveLength(1);
  });

  it("reports every problem at once, with line, column and path", () => {
    const text = `version: 2
agent: pr-reviewer
trnsports: []
transports:
  - kind: kafka
  - kind: carrier-pigeon
  - kind: memory
    topics: {requests: "a b"}
capabilities:
  - name: -bad
    timeoutMs: 0
    idempotent: maybe
    since: 1.1
  - name: good
    inputSchema:
      type: object
      properties:
        x: { patternProperties: {} }
    outputSchema: true
  - name: good
    since: "2.0.0"
    minSchemaVersion: "1.0.0"
  - description: nameless
`;
    expect(problemsOf(text)).toEqual([
      '1:10 /version "version" must be 1, not the number 2',
      '2:1 /agent "agent" must be agent://<id>, not "pr-reviewer"',
      '3:1 /trnsports unknown key "trnsports"; did you mean "transports"?',
      '5:11 /transports/0/kind transport kind "kafka" is not supported here: it can be "memory" or "nats"',
      '6:11 /transports/1/kind transport kind "carrier-pigeon" is not supported: it can be "memory" or "nats"',
      '8:24 /transports/2/topics/requests "requests" must be a subject such as agents.reviewer.requests, not the string "a b"',
      '10:11 /capabilities/0/name "name" must be letters, digits, - and _, starting with a letter or digit, at most 100, not the string "-bad"',
      '11:16 /capabilities/0/timeoutMs "timeoutMs" must be a whole number from 1 to 600000, not the number 0',
      '12:17 /capabilities/0/idempotent "idempotent" must be true or false, not the string "maybe"',
      '13:12 /capabilities/0/since "since" must be a version in quotes, such as "1.1.0"',
      '18:9 /capabilities/1/inputSchema/properties/x unsupported keyword "patternProperties" at /properties/x',
      "19:19 /capabilities/1/outputSchema a schema must be an object, not a boolean at /",
      '20:5 /capabilities/2/name capability "good" is declared twice',
      "22:5 /capabilities/2/minSchemaVersion minSchemaVersion 1.0.0 is older than since 2.0.0",
      '23:5 /capabilities/3/name missing "name"',
    ]);
  });

  it.each([
    ["[]", "the file must be a map, not a list"],
    ["version: 1\nagent: agent://../x\ncapabilities: []", '"agent" must be agent://<id>, not "agent://../x"'],
    ["version: 1\nagent: agent://a__b\ncapabilities: []", '"agent" must be agent://<id>, not "agent://a__b"'],
    ["version: 1\nagent: agent://a", 'missing "capabilities"'],
    ["version: '1'\nagent: agent://a\ncapabilities: []", '"version" must be 1, not the string "1"'],
    [
      withCapability("    inputSchema:\n"),
      '"inputSchema" must be a schema, not nothing; leave it out for any JSON',
    ],
    [
      withCapability("    timeoutMs: 600001\n"),
      '"timeoutMs" must be a whole number from 1 to 600000, not the number 600001',
    ],
    [
      withCapability("    timeoutMs: 1.5\n"),
      '"timeoutMs" must be a whole number from 1 to 600000, not the number 1.5',
    ],
    [withCapability("    since: v1\n"), '"since" must be a version such as "1.1.0", not "v1"'],
    [withCapability("    retries: 3\n"), 'unknown key "retries"'],
    [
      "version: 1\nagent: agent://a\ntransports: [{kind: memory}, {kind: memory}]\ncapabilities: []",
      'transport "memory" is given twice',
    ],
    ["version: 1\nagent: agent://a\ntransports: [{kind: nats}]\ncapabilities: []", 'missing "servers"'],
  ])("%j is refused", (text, message) => {
    const found = problemsOf(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`${message.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`));
  });

  it("must belong to the agent whose folder it is in", () => {
    expect(problemsOf(example, { agentId: "pr-reviewer" })).toEqual([]);
    expect(problemsOf(example, { agentId: "other" })).toEqual([
      '2:1 /agent "agent" is agent://pr-reviewer, but the file belongs to agent://other',
    ]);
  });

  it("names the file in the message", () => {
    expect(() => parseCapabilitiesConfig("[]", { file: "agents/a/capabilities.yaml" })).toThrow(
      "agents/a/capabilities.yaml:1:1: the file must be a map, not a list",
    );
  });
});

describe("versions", () => {
  // In the order of the specification.
  const ordered = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "2.0.0",
    "2.1.0",
    "2.1.1",
    "10.0.0",
  ];

  it("are told from other texts", () => {
    for (const version of [...ordered, "1.2.3+build.1", "0.0.0-0"]) expect(isVersion(version)).toBe(true);
    for (const other of [
      "1",
      "1.2",
      "01.2.3",
      "1.2.3-01",
      "v1.2.3",
      "1.2.3-",
      "1.2.3.4",
      "",
      " 1.2.3",
      "1.2.3\n",
    ]) {
      expect([other, isVersion(other)]).toEqual([other, false]);
    }
  });

  it("are ordered as the specification has it", () => {
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries()) expect(Math.sign(compareVersions(a, b))).toBe(Math.sign(i - j));
    }
    expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
    expect(compareVersions("1.0.99999999999999999999", "1.0.100000000000000000000")).toBeLessThan(0);
  });
});
