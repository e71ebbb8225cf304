import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isStoaError, StoaError } from "#platform/errors";
import { type LoadOptions, loadConfig } from "./load.ts";
import type { Problem } from "./problems.ts";

const longKey = "k".repeat(32);
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "stoa-config-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function load(options: Partial<LoadOptions> & { yaml?: string | Uint8Array } = {}) {
  const { yaml, ...rest } = options;
  if (yaml !== undefined) writeFileSync(join(cwd, "stoa.yaml"), yaml);
  return loadConfig({ cwd, env: {}, ...rest });
}

function failure(options: Parameters<typeof load>[0]): StoaError {
  try {
    load(options);
  } catch (error) {
    if (error instanceof StoaError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

function problems(options: Parameters<typeof load>[0]): readonly Problem[] {
  return failure(options).details.problems as readonly Problem[];
}

describe("what is in effect", () => {
  test("the defaults, where nothing is set", () => {
    const { config, origins, warnings, file } = load();
    expect(config.home).toBe(join(cwd, ".stoa"));
    expect(config.http).toMatchObject({ host: "127.0.0.1", port: 3775 });
    expect(config.grpc).toMatchObject({
      enabled: true,
      host: "127.0.0.1",
      port: 3774,
      maxMessageLength: 4_194_304,
      maxWorkers: 10,
      handlerTimeout: 30,
      healthCheckInterval: 30,
      tls: {},
    });
    expect(config.signingKeys).toEqual([]);
    expect(config.auth.acceptTimelessTokens).toBe(false);
    expect(new Set(origins.values())).toEqual(new Set(["default"]));
    expect(warnings).toEqual([]);
    expect(file).toBeUndefined();
  });

  test("flags win over the environment, and that over the file", () => {
    const { config, origins } = load({
      yaml: "http:\n  port: 1001\n  host: localhost\ngrpc:\n  port: 2001\n",
      env: { STOA_HTTP_PORT: "1002", STOA_GRPC_PORT: "2002" },
      flags: { "--http-port": "1003" },
    });
    expect([config.http.port, config.grpc.port, config.http.host]).toEqual([1003, 2002, "localhost"]);
    expect(origins.get("http.port")).toBe("flag --http-port");
    expect(origins.get("grpc.port")).toBe("env STOA_GRPC_PORT");
    expect(origins.get("http.host")).toBe("stoa.yaml:3");
  });

  test("paths start at the file for the file, and at the current folder elsewhere", () => {
    const other = mkdtempSync(join(tmpdir(), "stoa-other-"));
    writeFileSync(join(other, "my.yaml"), "home: data\nfleet: ~/fleet\n");
    const { config } = load({
      file: join(other, "my.yaml"),
      env: { STOA_GRPC_TLS_CERT_FILE: "c.pem", STOA_GRPC_TLS_KEY_FILE: "/k.pem" },
    });
    expect(config.home).toBe(join(other, "data"));
    expect(config.fleet).toBe(join(homedir(), "fleet"));
    expect(config.grpc.tls).toEqual({ certFile: join(cwd, "c.pem"), keyFile: "/k.pem" });
    rmSync(other, { recursive: true });
  });

  test("the seed's names of the gRPC settings", () => {
    const { config } = load({
      env: {
        GRPC__ENABLED: "false",
        GRPC__HOST: "::1",
        GRPC__PORT: "50051",
        GRPC__MAX_MESSAGE_LENGTH: "8388608",
        GRPC__MAX_WORKERS: "3",
        GRPC__HANDLER_TIMEOUT: "2.5",
        GRPC__HEALTH_CHECK_INTERVAL: "7",
      },
    });
    expect(config.grpc).toMatchObject({
      enabled: false,
      host: "::1",
      port: 50_051,
      maxMessageLength: 8_388_608,
      maxWorkers: 3,
      handlerTimeout: 2.5,
      healthCheckInterval: 7,
    });
  });

  test("several signing keys, the first one first", () => {
    const other = "o".repeat(40);
    expect(load({ env: { STOA_SIGNING_KEY: `${longKey}, ${other}` } }).config.signingKeys).toEqual([
      longKey,
      other,
    ]);
    expect(load({ yaml: `signingKeys:\n  - ${longKey}\n  - ${other}\n` }).config.signingKeys).toEqual([
      longKey,
      other,
    ]);
  });

  test("a generic flag gives way to a specific one", () => {
    const { config, origins } = load({ flags: { "--host": "0.0.0.0", "--grpc-host": "127.0.0.1" } });
    expect([config.http.host, config.grpc.host]).toEqual(["0.0.0.0", "127.0.0.1"]);
    expect(origins.get("http.host")).toBe("flag --host");
  });

  test("a flag can switch off what is on", () => {
    expect(load({ flags: { "--demo": false }, env: { STOA_DEMO: "yes" } }).config.demo).toBe(false);
  });

  test.each(["", "\uFEFFhttp:\n  port: 9\n", "---\n", "# only a comment\n", "http:\n", "{}"])(
    "a file that says little is no error: %j",
    (yaml) => {
      expect(load({ yaml }).config.grpc.port).toBe(3774);
    },
  );

  test("an empty variable counts as not set", () => {
    expect(load({ env: { STOA_HTTP_PORT: "", STOA_FLEET: " " } }).config).toMatchObject({
      http: { port: 3775 },
    });
  });

  test("anchors may be used for values and sections", () => {
    const { config } = load({
      yaml: "http: &h\n  port: 81\nlog:\n  level: &l warn\ngrpc:\n  host: localhost\n",
    });
    expect(config.http.port).toBe(81);
    const { config: aliased } = load({ yaml: "drainTimeout: &t 5\nhttp:\n  requestTimeout: *t\n" });
    expect(aliased.http.requestTimeout).toBe(5);
  });
});

describe("what is wrong in the file", () => {
  test("every problem, each with line, column and what is allowed", () => {
    const found = problems({
      yaml: "http:\n  prot: 80\n  port: eighty\nlog: { level: wran }\ngrpc: 5\nhome:\nsigningKeys: [short]\n",
    });
    expect(found.map(({ where }) => where)).toEqual([
      "stoa.yaml:2:3",
      "stoa.yaml:3:9",
      "stoa.yaml:4:15",
      "stoa.yaml:5:7",
      "stoa.yaml:6:6",
      "stoa.yaml:7:15",
    ]);
    const messages = found.map(({ message }) => message);
    expect(messages[0]).toContain(
      "unknown key `prot` in `http`; did you mean `port`? Allowed here: host, port",
    );
    expect(messages[1]).toContain('a whole number from 0 to 65535 (0 takes any free port), got "eighty"');
    expect(messages[2]).toContain("did you mean warn?");
    expect(messages[3]).toContain("`grpc` is a section; allowed in it: enabled, host, port");
    expect(messages[4]).toContain("`home` has no value");
    expect(messages[5]).toContain("has 5 bytes; expected at least 32");
  });

  test("a problem in the file is told even where the environment overrides it", () => {
    expect(problems({ yaml: "http:\n  port: x\n", env: { STOA_HTTP_PORT: "80" } })).toHaveLength(1);
  });

  test.each([
    ["a list at the top", "- a\n", "stoa.yaml:1:1", "key: value"],
    ["a word at the top", "hello", "stoa.yaml:1:1", "key: value"],
    [
      "the same key twice",
      "demo: true\ndemo: false\n",
      "stoa.yaml:2:1",
      "`demo` is set twice; line 1 sets it first",
    ],
    ["broken YAML", "http: {port: 1\nlog: x", "stoa.yaml:2:1", ""],
    ["two documents", "demo: true\n---\ndemo: true\n", "stoa.yaml", "multiple documents"],
    ["a tag of its own", "home: !env HOME\n", "stoa.yaml:1:7", "tag"],
    ["a merge key", "a: &a {port: 1}\nhttp:\n  <<: *a\n", "stoa.yaml:1:1", "unknown key `a`"],
    ["a key that is a list", "? [a]\n: b\n", "stoa.yaml:1:3", "unknown key"],
    ["a prototype's name", "__proto__: {port: 1}\n", "stoa.yaml:1:1", "unknown key `__proto__`"],
    ["a method's name", "http: {toString: 1}\n", "stoa.yaml:1:8", "unknown key `toString`"],
    ["a mapping for a value", "home: {a: b}\n", "stoa.yaml:1:7", "got a mapping"],
    ["a list for a value", "http: {port: [1]}\n", "stoa.yaml:1:14", "got a list"],
    ["a number for a name", "log: {level: 5}\n", "stoa.yaml:1:14", "one of trace"],
    ["text for a switch", "demo: yes please\n", "stoa.yaml:1:7", "true or false"],
    ["a part of a port", "http: {port: 80.5}\n", "stoa.yaml:1:14", "whole number"],
    ["no time at all", "drainTimeout: 0\n", "stoa.yaml:1:15", "seconds"],
    ["not a number", "drainTimeout: .nan\n", "stoa.yaml:1:15", "seconds"],
    ["an alias to nowhere", "home: *nothing\n", "stoa.yaml:1:7", ""],
  ])("%s", (_title, yaml, where, message) => {
    const found = problems({ yaml });
    expect(found[0]?.where).toContain(where);
    expect(found[0]?.message.toLowerCase()).toContain(message.toLowerCase());
  });

  test("a certificate without its key", () => {
    const [problem] = problems({ yaml: "grpc:\n  tls:\n    certFile: a.pem\n" });
    expect(problem).toMatchObject({
      where: "stoa.yaml:3",
      message: "`grpc.tls.certFile` needs grpc.tls.keyFile too",
    });
  });

  test("bytes that are no text, and files that are no configuration", () => {
    expect(failure({ yaml: new Uint8Array([0xff, 0xfe, 0x00]) }).message).toContain("is not UTF-8 text");
    expect(failure({ yaml: `# ${"x".repeat(262_144)}` }).message).toContain("is larger than");
    expect(failure({ file: "missing.yaml" }).message).toContain("missing.yaml: cannot be read");
    expect(failure({ file: "/dev/zero" }).message).toContain("is larger than");
    expect(failure({ file: "." }).code).toBe("CONFIG_INVALID");
    expect(failure({ env: { STOA_CONFIG: "missing.yaml" } }).message).toContain("missing.yaml");
  });

  test("nesting and aliases that would cost more than they say", () => {
    expect(failure({ yaml: `home: ${"[".repeat(50_000)}` }).message).toBe("stoa.yaml: is nested too deeply");
    const bomb = [
      "a: &a0 [x]",
      ...Array.from({ length: 30 }, (_, i) => `b${i}: &a${i + 1} [*a${i}, *a${i}]`),
    ];
    const found = problems({ yaml: `${bomb.join("\n")}\nsigningKeys: *a30\n` });
    expect(found.at(-1)?.message).toContain("key 1 of 2 is not text");
  });

  test("a thousand problems are counted and not all shown", () => {
    const { message } = failure({ yaml: Array.from({ length: 1000 }, (_, i) => `k${i}: 1`).join("\n") });
    expect(message).toContain("has 1000 problems");
    expect(message).toContain("… and 960 more");
    expect(message.length).toBeLessThan(10_000);
  });

  test("nothing in it can steer a terminal", () => {
    const { message } = failure({ yaml: '"\\e[31mred": 1\nlog: {level: "\\e[0m"}\n' });
    expect(message).not.toContain("\u001b");
  });
});

describe("what is wrong elsewhere", () => {
  test("the environment: the variable is named", () => {
    const found = problems({
      env: {
        STOA_HTTP_PORT: "70000",
        GRPC__ENABLED: "maybe",
        DATABASE_URL: "mysql://u:hunter2@h/d",
        STOA_HTTP_HOST: "a:1",
      },
    });
    expect(found.map(({ where }) => where).sort()).toEqual([
      "environment DATABASE_URL",
      "environment GRPC__ENABLED",
      "environment STOA_HTTP_HOST",
      "environment STOA_HTTP_PORT",
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
  });

  test.each(["0x50", "1e3", "", "Infinity", "8 0", "٣"])("the text %j is no port", (text) => {
    if (text === "") return expect(load({ env: { STOA_HTTP_PORT: text } }).config.http.port).toBe(3775);
    expect(problems({ env: { STOA_HTTP_PORT: text } })).toHaveLength(1);
  });

  test("two names of one setting that differ", () => {
    const [problem] = problems({ env: { STOA_GRPC_PORT: "1", GRPC__PORT: "2" } });
    expect(problem?.message).toContain(
      "STOA_GRPC_PORT and GRPC__PORT are two names of `grpc.port` and differ",
    );
    expect(load({ env: { STOA_GRPC_PORT: "1", GRPC__PORT: "1" } }).config.grpc.port).toBe(1);
  });

  test("flags: the flag is named, and an unknown one refused", () => {
    const found = problems({ flags: { "--http-port": "x", "--http-prt": "1" } });
    expect(found[0]).toMatchObject({ where: "flag --http-port" });
    expect(found[1]?.message).toContain("did you mean `--http-port`?");
  });

  test("a short signing key has a code of its own, and is not repeated", () => {
    const error = failure({ env: { STOA_SIGNING_KEY: `${longKey},hunter2` } });
    expect(isStoaError(error, "KEY_INVALID")).toBe(true);
    expect(error.message).toBe("environment STOA_SIGNING_KEY: key 2 of 2 has 7 bytes; expected at least 32");
    expect(failure({ env: { STOA_SIGNING_KEY: `${longKey},` } }).message).toContain("key 2 of 2 has 0 bytes");
    expect(failure({ env: { STOA_SIGNING_KEY: "x", STOA_HTTP_PORT: "x" } }).code).toBe("CONFIG_INVALID");
  });

  test("31 bytes are too few and 32 enough, counted in bytes", () => {
    expect(failure({ env: { STOA_SIGNING_KEY: "k".repeat(31) } }).code).toBe("KEY_INVALID");
    expect(load({ env: { STOA_SIGNING_KEY: "é".repeat(16) } }).config.signingKeys).toEqual(["é".repeat(16)]);
  });

  test("names that look like settings are warned about, others left alone", () => {
    const { warnings } = load({
      env: {
        STOA_HTP_PORT: "1",
        GRPC__PROT: "1",
        STOA_API_KEY: "x",
        STOA_TEST_X: "1",
        GRPC_VERBOSITY: "1",
        PATH: "/",
      },
    });
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain("GRPC__PROT: no setting has this name; did you mean `GRPC__PORT`?");
    expect(warnings[1]).toContain("did you mean `STOA_HTTP_PORT`?");
  });

  test("a file with nearly the right name is warned about", () => {
    writeFileSync(join(cwd, "stoa.yml"), "demo: false\n");
    expect(load().warnings[0]).toContain("stoa.yml is not read");
  });
});
