import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkToken } from "#domain/identity";
import { settings } from "#platform/config";
import { exitCodes } from "#platform/errors";
import { processIo } from "./io.ts";
import { createProgram } from "./program.ts";
import { type RunOptions, runMain } from "./testing/run-main.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "stoa-cli-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const stoa = (line: string, options: Partial<RunOptions> = {}) =>
  runMain(line.split(" "), { cwd, ...options });
const escapeCode = "\u001b";

function leaves(command: Command): Command[] {
  const inner = command.commands.filter((sub) => sub.name() !== "help");
  return inner.length === 0 ? [command] : inner.flatMap(leaves);
}

function words(command: Command): string {
  return command.parent?.parent ? `${words(command.parent)} ${command.name()}` : command.name();
}

describe("help", () => {
  const all = leaves(createProgram(processIo()).program);

  test.each(all.map((command) => words(command)))(
    "stoa %s --help says what it does, with examples",
    async (line) => {
      const { code, stdout, stderr } = await stoa(`${line} --help`);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: stoa ${line}`);
      expect(stdout).toContain("Examples:");
      expect(stdout).toContain("--json");
      expect(stderr).toBe("");
    },
  );

  test("stoa alone prints help with every exit code", async () => {
    const { code, stdout } = await runMain([], { cwd });
    expect(code).toBe(0);
    for (const exit of Object.values(exitCodes)) expect(stdout).toMatch(new RegExp(`^  ${exit} `, "m"));
  });

  test("stoa key alone prints its help and is a usage error", async () => {
    const { code, stderr } = await stoa("key");
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toContain("create, list and revoke");
  });

  test("the version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(await stoa("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("the flags of up", () => {
  test("are those that the schema names, no more and no less", () => {
    const up = createProgram(processIo()).program.commands.find((command) => command.name() === "up");
    const flags = (up?.options ?? []).map(({ long }) => long?.replace(/^--no-/, "--") ?? "");
    const named = settings.flatMap((setting) => setting.flags).filter((flag) => flag !== "--home");
    expect([...new Set(flags)].sort()).toEqual([...new Set(named)].sort());
  });

  test("those with known values offer the schema's", async () => {
    const { completionTree } = await import("./completion.ts");
    const up = completionTree(createProgram(processIo()).program).find(({ path }) => path.join(" ") === "up");
    const offered = Object.fromEntries((up?.values ?? []).map(({ option, choices }) => [option, choices]));
    for (const setting of settings) {
      for (const flag of setting.flags)
        if (setting.kind.choices) expect(offered[flag]).toEqual(setting.kind.choices);
    }
  });
});

describe("errors", () => {
  test.each([
    ["nope", "unknown command 'nope'"],
    ["docter", "Did you mean doctor?"],
    ["key crate", "Did you mean create?"],
    ["key list --jsn", "Did you mean --json?"],
    ["token mint --user a", "required option '--workspace <id>' not specified"],
    ["key create --name x --role root", "Allowed choices are viewer, member, admin"],
    ["key revoke", "missing required argument 'id'"],
    ["completion tcsh", "Allowed choices are bash, zsh, fish"],
    ["token mint --user a --workspace b --at noon", "--at: expected Unix seconds"],
    ["key create --name x --expires never", "--expires: expected a time to come"],
    ["key create --name x --expires 2001-01-01", "--expires: expected a time to come"],
  ])("stoa %s", async (line, message) => {
    const { code, stdout, stderr } = await stoa(line);
    expect(code).toBe(exitCodes.usage);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain("[USAGE]");
  });

  test("with --json they are JSON on stderr, wherever the flag stands", async () => {
    for (const line of ["--json config show --http-port x", "config show --http-port x --json"]) {
      const { code, stdout, stderr } = await stoa(line);
      expect(code).toBe(exitCodes.config);
      expect(stdout).toBe("");
      expect(JSON.parse(stderr)).toMatchObject({
        error: {
          code: "CONFIG_INVALID",
          message: expect.stringContaining("flag --http-port"),
          help: expect.any(String),
        },
      });
    }
    expect(JSON.parse((await stoa("nope --json")).stderr)).toMatchObject({ error: { code: "USAGE" } });
  });

  test("a bad configuration names file and line, for every command that reads it", async () => {
    writeFileSync(join(cwd, "stoa.yaml"), "http:\n  prot: 1\n");
    for (const line of ["config show", "up", "doctor", "key list", "token mint --user a --workspace b"]) {
      const { code, stderr } = await stoa(line);
      expect(code).toBe(exitCodes.config);
      expect(stderr).toContain("stoa.yaml:2:3: unknown key `prot` in `http`; did you mean `port`?");
    }
  });
});

describe("colours", () => {
  test("on a terminal only, and not with NO_COLOR", async () => {
    expect((await stoa("config show", { terminal: true })).stdout).toContain(escapeCode);
    expect((await stoa("config show")).stdout).not.toContain(escapeCode);
    expect((await stoa("config show", { terminal: true, env: { NO_COLOR: "1" } })).stdout).not.toContain(
      escape,
    );
    expect((await stoa("nope", { terminal: true, env: { TERM: "dumb" } })).stderr).not.toContain(escapeCode);
    expect((await stoa("nope", { terminal: true })).stderr).toContain(escapeCode);
  });

  test("not in JSON", async () => {
    expect((await stoa("config show --json", { terminal: true })).stdout).not.toContain(escapeCode);
  });
});

describe("config show", () => {
  test("prints value and origin, secrets masked", async () => {
    writeFileSync(join(cwd, "stoa.yaml"), "http:\n  port: 8080\n");
    const env = { STOA_SIGNING_KEY: "hunter2".repeat(5), GRPC__PORT: "9000", STOA_HTP_PORT: "1" };
    const { stdout, stderr } = await stoa("config show --log-level debug --no-demo", { env });
    expect(stdout).toMatch(/^http\.port +8080 +stoa\.yaml:2$/m);
    expect(stdout).toMatch(/^grpc\.port +9000 +env GRPC__PORT$/m);
    expect(stdout).toMatch(/^log\.level +debug +flag --log-level$/m);
    expect(stdout).toMatch(/^demo +false +flag --demo$/m);
    expect(stdout).toMatch(/^signingKeys +\*\*\*\* +env STOA_SIGNING_KEY$/m);
    expect(stdout).not.toContain("hunter2");
    expect(stderr).toContain("warning: environment STOA_HTP_PORT");
  });

  test("as JSON, with only what was changed", async () => {
    const { stdout } = await stoa("config show --changed --json --home data");
    expect(JSON.parse(stdout)).toEqual({
      file: null,
      settings: [{ key: "home", value: join(cwd, "data"), origin: "flag --home", secret: false }],
    });
    expect((await stoa("config show --changed")).stdout).toBe("Every setting has its default.\n");
  });

  test("reads the file that is named", async () => {
    writeFileSync(join(cwd, "other.yaml"), "demo: false\n");
    expect((await stoa("config show --changed --config other.yaml")).stdout).toContain("other.yaml:1");
  });
});

describe("token mint", () => {
  const key = "test-signing-key-32bytes-long!!!";

  test("mints the vector", async () => {
    const { stdout, code } = await stoa(
      "token mint --user user-abc-123 --workspace ws-def-456 --at 1777000000",
      {
        env: { STOA_SIGNING_KEY: `${key},${"o".repeat(32)}` },
      },
    );
    expect(code).toBe(0);
    expect(stdout).toBe(
      "dXNlci1hYmMtMTIzOndzLWRlZi00NTY6MTc3NzAwMDAwMA.7b0536e4b90b4192881cee98a9af5b6c854851db6f3eca96c8e861d1befb5644\n",
    );
  });

  test("makes a key for the home that has none, and the core will use the same", async () => {
    const { stdout } = await stoa("token mint --user ada --workspace acme --at 2026-01-31T12:00:00Z --json");
    const minted = JSON.parse(stdout);
    const file = join(cwd, ".stoa", "signing.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const keys = [readFileSync(file, "utf8").trim()];
    expect(checkToken(minted.token, { keys, unixSeconds: 1_769_860_800 })).toMatchObject({ userId: "ada" });
    expect(minted).toMatchObject({ issuedAt: 1_769_860_800, expiresAt: 1_769_861_100, workspaceId: "acme" });
  });

  test("a short key is refused", async () => {
    const { code, stderr } = await stoa("token mint --user a --workspace b", {
      env: { STOA_SIGNING_KEY: "short" },
    });
    expect(code).toBe(exitCodes.config);
    expect(stderr).toContain("[KEY_INVALID]");
  });

  test.each(["a:b", "", "a\nb"])("the user %j is refused", async (user) => {
    const { code } = await runMain(["token", "mint", "--user", user, "--workspace", "w"], { cwd });
    expect(code).toBe(exitCodes.usage);
  });
});

describe("commands that need a core", () => {
  test("say that none runs", async () => {
    const { code, stderr } = await stoa("status");
    expect(code).toBe(exitCodes.unavailable);
    expect(stderr).toContain(`No core runs on ${join(cwd, ".stoa")}`);
  });

  test("a core.json that a killed core left behind is not believed", async () => {
    await stoa("token mint --user a --workspace b");
    const left = { pid: process.pid, startedAt: 1, http: { host: "127.0.0.1", port: 9 } };
    writeFileSync(join(cwd, ".stoa", "core.json"), JSON.stringify(left));
    expect((await stoa("status")).stderr).toContain("No core runs on");
  });

  test("a STOA_URL that is no address is named", async () => {
    const { code, stderr } = await stoa("status", { env: { STOA_URL: "localhost:3775" } });
    expect(code).toBe(exitCodes.config);
    expect(stderr).toContain("STOA_URL");
  });
});
