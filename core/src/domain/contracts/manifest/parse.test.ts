import { describe, expect, it } from "vitest";
import type { FileProblem } from "#domain/contracts/yaml";
import { isStoaError } from "#platform/errors";
import { parseDiscoveredTools, parseHost, parseManifest } from "./index.ts";

function problemsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (thrown) {
    if (!isStoaError(thrown, "FILE_INVALID")) throw thrown;
    return (thrown.details.problems as FileProblem[]).map(
      ({ line, column, message }) => `${line}:${column} ${message}`,
    );
  }
}
const refusals = (text: string) => problemsOf(() => parseManifest(text));

const tool = `tools:
  - name: search_web
    description: Search the internet for information
    input_schema: {type: object, properties: {query: {type: string}}, required: [query]}
`;
const minimal = `id: web-search\nimage: ghcr.io/acme/cap-web-search:2.1.0\n${tool}`;

describe("manifest.yaml", () => {
  it("has a default for every field but id and image", () => {
    const { tools, ...manifest } = parseManifest(minimal);
    expect(manifest).toEqual({
      id: "web-search",
      class: "tool",
      image: { kind: "docker", ref: "ghcr.io/acme/cap-web-search:2.1.0" },
      toolSource: "manifest",
      discoveryToolName: "list_tools",
      network: { mode: "none", hosts: [] },
      filesystem: "none",
      credentials: [],
      resources: { maxMemoryMb: 128, maxCpuFraction: 0.5, maxCpuSeconds: 30, pidsLimit: 64 },
      cache: { enabled: false },
      sharing: { mode: "exclusive", maxConcurrent: 1, idleTimeoutSeconds: 300 },
      warnings: [],
    });
    expect(tools).toMatchObject([
      { name: "search_web", recommendedPolicy: "block", terminalOnSuccess: false },
    ]);
    expect(tools[0]?.input.validate({})).toEqual([
      { path: "/query", message: 'missing required property "query"' },
    ]);
  });

  it("is read whole", () => {
    const manifest = parseManifest(
      `id: python-env
class: environment
image: file:./bin/server.ts
tools:
  - name: execute_python
    description: Execute Python code
    input_schema: {$schema: "https://json-schema.org/draft/2020-12/schema", type: object}
    recommended_policy: ask
    terminal_on_success: true
network:
  mode: allowlist
  hosts: ["API.openai.com:443", "*.googleapis.com:443", "httpbin.org", "[::1]:8080"]
filesystem: workspace
credentials:
  - {name: OPENAI_API_KEY, scope: user, required: false, description: "A key."}
  - {name: OTHER, scope: system}
resources: {max_memory_mb: 512, max_cpu_fraction: 1.0, max_cpu_seconds: 60, pids_limit: 128}
cache: {enabled: true}
`,
    );
    expect(manifest).toMatchObject({
      class: "environment",
      image: { kind: "file", path: "bin/server.ts" },
      tools: [{ recommendedPolicy: "ask", terminalOnSuccess: true }],
      network: {
        mode: "allowlist",
        hosts: [
          { host: "api.openai.com", subdomains: false, port: 443 },
          { host: "googleapis.com", subdomains: true, port: 443 },
          { host: "httpbin.org", subdomains: false },
          { host: "[::1]", subdomains: false, port: 8080 },
        ],
      },
      filesystem: "workspace",
      credentials: [
        {
          name: "OPENAI_API_KEY",
          scope: "user",
          credentialType: "secret",
          required: false,
          description: "A key.",
        },
        { name: "OTHER", scope: "system", credentialType: "secret", required: true, description: "" },
      ],
      resources: { maxMemoryMb: 512, maxCpuFraction: 1, maxCpuSeconds: 60, pidsLimit: 128 },
      cache: { enabled: true },
    });
  });

  it.each([
    ["recommended_policy: allow", "allow"],
    ["recommended_policy: allow\n    requires_confirmation: true", "allow"],
    ["requires_confirmation: true", "ask"],
    ["requires_confirmation: false", "block"],
    ["terminal_on_success: false", "block"],
  ])("derives the policy from %j", (line, policy) => {
    expect(parseManifest(`${minimal}    ${line}\n`).tools[0]?.recommendedPolicy).toBe(policy);
  });

  it("warns of fields that mean nothing here, with their path, and carries on", () => {
    const { warnings } = parseManifest(`${minimal}    tags: [x]\nversion: 2\nnetwork: {mod: any}\n`);
    expect(warnings.map(({ path, message }) => [path, message])).toEqual([
      ["/tools/0/tags", 'unknown key "tags"'],
      ["/network/mod", 'unknown key "mod"; did you mean "mode"?'],
      ["/version", 'unknown key "version"'],
    ]);
  });

  it("may leave its tools to be found at run time", () => {
    const text = "id: a\nimage: b\ntool_source: dynamic\ndiscovery_tool_name: discover\ntools: []\n";
    expect(parseManifest(text)).toMatchObject({
      toolSource: "dynamic",
      discoveryToolName: "discover",
      tools: [],
    });
  });

  it.each<[text: string, ...problems: string[]]>([
    [
      "{}",
      '1:1 missing "id"',
      '1:1 missing "image"',
      '1:1 no "tools": declare at least one, or set tool_source to "dynamic"',
    ],
    [
      minimal.replace("web-search", "Web_Search"),
      '1:5 "id" must be lower-case letters, digits and hyphens, at most 63, not the string "Web_Search"',
    ],
    [`${minimal}class: robot\n`, '7:8 "class" must be one of "tool", "environment", not the string "robot"'],
    [`${minimal}tool_source: dynamic\n`, '3:1 "tools" must be empty where tool_source is "dynamic"'],
    [`${minimal}filesystem: workspace\n`, '7:1 filesystem "workspace" is only for class "environment"'],
    [`${minimal}cache: {enabled: true}\n`, '7:1 a cache is only for class "environment"'],
    [`${minimal}class: environment\nsharing: {mode: shared}\n`, '8:1 sharing is only for class "tool"'],
    [
      `${minimal}credentials: [{name: 1a, scope: all}]\n`,
      '7:22 "name" must be the name of an environment variable, not the string "1a"',
      '7:33 "scope" must be one of "system", "user", not the string "all"',
    ],
    [
      `${minimal}credentials: [{scope: user}, {name: A, scope: user, credential_type: file}]\n`,
      '7:15 missing "name"',
      '7:70 "credential_type" must be "secret", not the string "file"',
    ],
    [
      `${minimal}credentials: [{name: A, scope: user}, {name: A, scope: user}]\n`,
      '7:40 credential "A" is declared twice',
    ],
    [
      `${minimal}resources: {max_memory_mb: 0.5, max_cpu_fraction: 0}\n`,
      '7:28 "max_memory_mb" must be a whole number from 6 to 1048576, not the number 0.5',
      '7:51 "max_cpu_fraction" must be a number above 0 to 1024, not the number 0',
    ],
    [
      `${minimal}network: {mode: allowlist, hosts: ["https://x.com", "*", "a.*.com", "x:0", "x:y", "-a.com", ""]}\n`,
      '7:36 host "https://x.com" cannot be used: a host has no scheme and no path: write host or host:port',
      '7:53 host "*" cannot be used: to allow every host, set the network mode to "any"',
      '7:58 host "a.*.com" cannot be used: a wildcard can only stand at the start, as in "*.example.com"',
      '7:69 host "x:0" cannot be used: the port must be a number from 1 to 65535',
      '7:76 host "x:y" cannot be used: the port must be a number from 1 to 65535',
      '7:83 host "-a.com" cannot be used: it is no host name',
      '7:93 host "" cannot be used: it is no host name',
    ],
    [
      `${minimal}    recommended_policy: maybe\n`,
      '7:25 "recommended_policy" must be one of "allow", "ask", "block", not the string "maybe"',
    ],
    [
      minimal.replace("{type: object,", "{type: thing,"),
      '6:20 unknown type "thing": a type is one of object, array, string, integer, number, boolean, null at /type',
    ],
    [
      minimal.replace(/input_schema: .*/, "input_schema: true"),
      '6:19 "input_schema" must be a JSON Schema object, not the boolean true',
    ],
    [
      minimal.replace("search_web", "search web"),
      '4:11 "name" must be 1 to 64 letters, digits, - and _, not the string "search web"',
    ],
    [
      `${minimal}  - {name: search_web, description: x, input_schema: {}}\n`,
      '7:6 tool "search_web" is declared twice',
    ],
    [
      "id: a\nimage: 'x y'\ntool_source: dynamic",
      '2:1 "image" "x y" cannot be used: it must be a container image such as ghcr.io/acme/search:1.0, or file:./program',
    ],
    ["- a", "1:1 the file must be a map, not a list"],
  ])("%j is refused", (text, ...problems) => {
    expect(refusals(text)).toEqual(problems);
  });

  it.each([
    "file:/etc/passwd",
    "file:../x",
    "file:./a/../../x",
    "file:C:/x",
    "file:",
    "file:./",
    "file:a\\b",
    "file:a\0b",
  ])("%j is no program beside it", (image) => {
    expect(refusals(`id: a\nimage: ${JSON.stringify(image)}\ntool_source: dynamic\n`)).toHaveLength(1);
  });

  it.each([
    "alpine",
    "alpine:3",
    "a/b/c",
    "localhost:5000/a:1",
    `a@sha256:${"0".repeat(64)}`,
    "ghcr.io/x/y_z:1.0-rc",
  ])("%s is an image", (image) => {
    expect(parseManifest(`id: a\nimage: ${image}\ntool_source: dynamic\n`).image).toEqual({
      kind: "docker",
      ref: image,
    });
  });
});

describe("hosts", () => {
  it("are lower case, with and without a port", () => {
    expect(parseHost("Example.COM")).toEqual({ host: "example.com", subdomains: false });
    expect(parseHost("*.a.b:80")).toEqual({ host: "a.b", subdomains: true, port: 80 });
    expect(parseHost("10.0.0.1:65535")).toEqual({ host: "10.0.0.1", subdomains: false, port: 65_535 });
    expect(parseHost("a".repeat(64))).toBe("it is no host name");
    expect(parseHost("a:65536")).toMatch(/port/);
  });
});

describe("discovered tools", () => {
  const found = {
    name: "a",
    description: "A.",
    input_schema: { type: "object" },
    recommended_policy: "allow",
  };

  it("come as a list, or under tools", () => {
    for (const answer of [[found], { tools: [found] }]) {
      expect(parseDiscoveredTools(answer, "discovery")).toMatchObject([
        { name: "a", recommendedPolicy: "allow" },
      ]);
    }
    expect(parseDiscoveredTools([], "discovery")).toEqual([]);
  });

  it.each<[unknown]>([
    ["x"],
    [null],
    [{}],
    [[{ ...found, name: "" }]],
    [[found, found]],
    [[{ ...found, input_schema: 1 }]],
    [[1]],
  ])("%j is refused", (answer) => {
    expect(problemsOf(() => parseDiscoveredTools(answer, "discovery"))).toHaveLength(1);
  });
});
