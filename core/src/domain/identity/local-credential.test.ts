import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readLocalCredential, rotateLocalCredential } from "./local-credential.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stoa-local-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("who can read the file is known, and a new start makes a new one", () => {
  expect(readLocalCredential(home)).toBeUndefined();
  const first = rotateLocalCredential(home);
  const shown = readLocalCredential(home) ?? "";
  expect(statSync(join(home, "cli.key")).mode & 0o777).toBe(0o600);
  expect(first.matches(shown)).toBe(true);
  for (const wrong of ["", "stoa_local_", shown.slice(0, -1), `${shown}x`])
    expect(first.matches(wrong)).toBe(false);
  const second = rotateLocalCredential(home);
  expect(second.matches(shown)).toBe(false);
  expect(second.matches(readLocalCredential(home) ?? "")).toBe(true);
});
