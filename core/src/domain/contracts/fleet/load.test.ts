import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fileProblemText } from "#domain/contracts/yaml";
import { isStoaError } from "#platform/errors";
import { checkFleet, findFleetRoot, loadFleet } from "./index.ts";

// Much work on a machine that may be busy with other things.
vi.setConfig({ testTimeout: 300_000 });

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "stoa-fleet-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string | Buffer>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}
const problems = async () => (await checkFleet(root)).problems.map(fileProblemText);

const good = {
  "fleet.yaml": "version: 1\nname: test\nmanager: boss\n",
  "agents/boss/agent.yaml":
    "name: boss\ndescription: Decides.\nmodel: some/model\ncapabilities: [search, files__read]\npeers: [agent://clerk, outsider]\npolicies:\n  search__find: ask\n",
  "agents/boss/prompt.md": "Be wise.",
  "agents/boss/rpc-peers.yaml":
    "peers:\n  - agent: agent://outsider\n    transports: [{kind: nats, servers: [nats://far:4222]}]\n    auth: {kind: hmac, keyId: k1, secretRef: OUTSIDER_KEY}\n",
  "agents/clerk/agent.yaml": "name: clerk\n",
  "agents/clerk/capabilities.yaml": "version: 1\nagent: agent://clerk\ncapabilities: [{name: file-it}]\n",
  "agents/clerk/skills/file-it.md": "How to file.",
  "agents/clerk/skills/sort/SKILL.md": "How to sort.",
  "capabilities/search/manifest.yaml":
    "id: search\nimage: file:./server.ts\ntools:\n  - {name: find, description: Find., input_schema: {type: object}}\n",
  "capabilities/search/server.ts": "export {};\n",
  "capabilities/search/prompt.md": "Search well.",
  "capabilities/search/prompt.de.md": "Suche gut.",
  "capabilities/files/manifest.yaml":
    "id: files\nimage: acme/files:1\ntools:\n  - {name: read, description: Read., input_schema: {type: object}}\n",
};

describe("a fleet", () => {
  it("is loaded whole", async () => {
    write(good);
    const fleet = await loadFleet(root);
    expect(fleet).toMatchObject({ root, name: "test", manager: "boss", warnings: [], rpcPeers: [] });
    expect(fleet.agents).toMatchObject([
      {
        id: "boss",
        folder: join(root, "agents/boss"),
        description: "Decides.",
        model: "some/model",
        prompt: "Be wise.",
        tools: ["search", "files__read"],
        peers: ["clerk", "outsider"],
        rpcPeers: [
          {
            agentId: "outsider",
            transports: [{ kind: "nats", servers: ["nats://far:4222"] }],
            auth: { kind: "hmac", keyId: "k1", secretRef: "OUTSIDER_KEY" },
          },
        ],
      },
      {
        id: "clerk",
        description: "",
        capabilities: { agentId: "clerk", capabilities: [{ name: "file-it" }] },
        skills: [
          { name: "file-it", text: "How to file." },
          { name: "sort", text: "How to sort." },
        ],
      },
    ]);
    expect([...(fleet.agents[0]?.policies ?? [])]).toEqual([["search__find", "ask"]]);
    expect(fleet.toolCapabilities.map(({ manifest }) => manifest.id)).toEqual(["files", "search"]);
    expect(Object.fromEntries(fleet.toolCapabilities[1]?.prompts ?? [])).toEqual({
      "": "Search well.",
      de: "Suche gut.",
    });
  });

  it("needs no more than its name", async () => {
    write({ "fleet.yaml": "version: 1\nname: empty\n" });
    expect(await loadFleet(root)).toMatchObject({ name: "empty", agents: [], toolCapabilities: [] });
  });

  it("is found from any folder in it", async () => {
    write(good);
    expect(await findFleetRoot(join(root, "agents/clerk/skills"))).toBe(root);
    expect(await findFleetRoot(dirname(root))).toBeUndefined();
  });

  it("reports every problem of every file at once", async () => {
    write({
      ...good,
      "fleet.yaml": "version: 1\nname: test\nmanager: bos\ndebug: true\n",
      "agents/boss/agent.yaml":
        "name: chief\ncapabilites: []\ncapabilities: [serch, files__write, files__read, files__read]\npeers: [clerc, boss]\npolicies: {search: allow, search__find: sometimes, files__read: block}\n",
      "agents/clerk/capabilities.yaml":
        "version: 1\nagent: agent://clark\ncapabilities: [{name: x, inputSchema: {foo: 1}}]\n",
      "agents/empty/readme.txt": "",
      "agents/bad name/agent.yaml": "name: bad name\n",
      "capabilities/other/manifest.yaml": "tool_source: dynamic\nid: another\nimage: acme/other\n",
      "capabilities/third/manifest.yaml": "id: third\nimage: file:./missing.ts\ntool_source: dynamic\n",
    });
    expect(await problems()).toEqual([
      'fleet.yaml:3:1: there is no manager "bos"; did you mean "boss"?',
      'fleet.yaml:4:1: unknown key "debug"',
      'agents/bad name:1:1: "bad name" cannot be an agent\'s id: use letters, digits, - and _, at most 64',
      'agents/boss/agent.yaml:1:1: "name" is "chief", but the folder is agents/boss; they must agree',
      'agents/boss/agent.yaml:2:1: unknown key "capabilites"; did you mean "capabilities"?',
      'agents/boss/agent.yaml:3:16: there is no capability "serch"; did you mean "search"?',
      'agents/boss/agent.yaml:3:23: there is no tool of files "write"; there is read',
      'agents/boss/agent.yaml:3:50: "files__read" is listed twice',
      'agents/boss/agent.yaml:4:9: there is no peer "clerc"; did you mean "clerk"?',
      'agents/boss/agent.yaml:4:16: agent "boss" is its own peer',
      'agents/boss/agent.yaml:5:12: a policy is for one tool, named capability__tool, not "search"',
      'agents/boss/agent.yaml:5:41: "search__find" must be one of "allow", "ask", "block", not the string "sometimes"',
      'agents/clerk/capabilities.yaml:2:1: "agent" is agent://clark, but the file belongs to agent://clerk',
      'agents/clerk/capabilities.yaml:3:39: unsupported keyword "foo" at /',
      "agents/empty/agent.yaml:1:1: agent empty has no agent.yaml",
      'capabilities/other/manifest.yaml:2:1: "id" is "another", but the folder is capabilities/other; they must agree',
      "capabilities/third/manifest.yaml:2:1: the program missing.ts does not exist in capabilities/third",
    ]);
  });

  it("does not blame agents for what a broken manifest would have declared", async () => {
    write({ ...good, "capabilities/search/manifest.yaml": "id: search\n" });
    const found = await problems();
    expect(found).toHaveLength(2);
    expect(found.every((text) => text.startsWith("capabilities/search/manifest.yaml"))).toBe(true);
  });

  it("throws one error that names the fleet and all problems", async () => {
    write({ "fleet.yaml": "version: 2\n" });
    const thrown = await loadFleet(root).catch((error: unknown) => error);
    expect(isStoaError(thrown, "FILE_INVALID")).toBe(true);
    expect(String(thrown)).toContain(
      `The fleet in ${root} has 2 problems:\n  fleet.yaml:1:1: missing "name"`,
    );
  });

  it("that is not there is a problem, not a crash", async () => {
    expect(await problems()).toEqual(["fleet.yaml:1:1: there is no fleet.yaml in this folder"]);
    root = join(root, "nowhere");
    expect(await problems()).toEqual(["fleet.yaml:1:1: there is no fleet.yaml in this folder"]);
  });

  it("warns of policies that say nothing and of files in the wrong place", async () => {
    write({
      ...good,
      "agents/notes.txt": "",
      "agents/clerk/agent.yaml": "name: clerk\npolicies: {search__find: allow}\n",
    });
    const { warnings } = await checkFleet(root);
    expect(warnings.map(fileProblemText)).toEqual([
      "agents/clerk/agent.yaml:2:12: agent clerk does not use search__find, so this policy says nothing",
      "agents/notes.txt:1:1: this file is not looked at: each folder here is one of its kind",
    ]);
  });
});

describe("files of a fleet", () => {
  const agent = "agents/a/agent.yaml";
  beforeEach(() => write({ "fleet.yaml": "version: 1\nname: test\n", [agent]: "name: a\n" }));

  it.each<[string, () => void, string]>([
    [
      "too large",
      () => write({ [agent]: `name: a\n#${"x".repeat(1_000_000)}` }),
      `${agent}:1:1: the file is larger than 1000000 bytes`,
    ],
    [
      "in UTF-16",
      () => write({ [agent]: Buffer.from("\ufeffname: a\n", "utf16le") }),
      `${agent}:1:1: the file is in UTF-16; save it as UTF-8`,
    ],
    [
      "not text",
      () => write({ [agent]: Buffer.from([0x6e, 0xff, 0xfe, 0x80]) }),
      `${agent}:1:1: the file is not UTF-8 text`,
    ],
    [
      "a folder",
      () => {
        rmSync(join(root, agent));
        mkdirSync(join(root, agent));
      },
      `${agent}:1:1: this is not a file`,
    ],
    [
      "a link out of the fleet",
      () => {
        rmSync(join(root, agent));
        symlinkSync("/etc/passwd", join(root, agent));
      },
      `${agent}:1:1: this link leads out of the fleet's folder`,
    ],
    [
      "a link to nowhere",
      () => {
        rmSync(join(root, agent));
        symlinkSync("nowhere", join(root, agent));
      },
      `${agent}:1:1: this link leads nowhere: ENOENT`,
    ],
    [
      "a link to itself",
      () => {
        rmSync(join(root, agent));
        symlinkSync("agent.yaml", join(root, agent));
      },
      `${agent}:1:1: this link leads nowhere: ELOOP`,
    ],
    [
      "a pipe",
      () => {
        rmSync(join(root, agent));
        execFileSync("mkfifo", [join(root, agent)]);
      },
      `${agent}:1:1: this is not a file`,
    ],
  ])("may be %s", async (_name, prepare, problem) => {
    prepare();
    expect(await problems()).toEqual([problem]);
  });

  it("may start with a byte order mark", async () => {
    write({ [agent]: "\ufeffname: a\n" });
    expect(await problems()).toEqual([]);
  });

  it("may be links within the fleet", async () => {
    symlinkSync("a", join(root, "agents/b"));
    expect(await problems()).toEqual([
      'agents/b/agent.yaml:1:1: "name" is "a", but the folder is agents/b; they must agree',
    ]);
  });

  it("keep a program inside its capability's folder", async () => {
    write({
      "capabilities/c/manifest.yaml": "id: c\nimage: file:./server.ts\ntool_source: dynamic\n",
      "capabilities/elsewhere.ts": "",
    });
    symlinkSync("../elsewhere.ts", join(root, "capabilities/c/server.ts"));
    expect(await problems()).toEqual([
      "capabilities/c/manifest.yaml:2:1: the program server.ts is a link that leads out of capabilities/c",
    ]);
  });
});
