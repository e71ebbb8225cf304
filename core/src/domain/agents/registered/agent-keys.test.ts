import { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ensureAgentKeys } from "./agent-keys.ts";

const home = mkdtempSync(join(tmpdir(), "stoa-keys-"));
afterAll(() => rmSync(home, { recursive: true }));

test("a key pair is made once, and the private half is the owner's alone", () => {
  const first = ensureAgentKeys(home, "a");
  expect(ensureAgentKeys(home, "a")).toEqual(first);
  expect(ensureAgentKeys(home, "b")).not.toEqual(first);
  const [folder = ""] = readdirSync(join(home, "agents"));
  const file = join(home, "agents", folder, "private.pem");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const publics = readdirSync(join(home, "agents")).map((name) =>
    createPublicKey(createPrivateKey(readFileSync(join(home, "agents", name, "private.pem"), "utf8")))
      .export({ type: "spki", format: "pem" })
      .toString(),
  );
  expect(publics).toContain(first.publicKeyPem);
});

test("an id that is a path stays inside the home", () => {
  ensureAgentKeys(home, "../../outside");
  expect(readdirSync(home)).toEqual(["agents"]);
  for (const name of readdirSync(join(home, "agents"))) expect(name).toMatch(/^[0-9a-f]{32}$/);
});
