import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { describeWith } from "../../../../test/services/index.ts";
import { identitySuite } from "./identity.suite.ts";

describe("identity on SQLite", () => {
  const folders: string[] = [];
  identitySuite(async () => {
    const home = await mkdtemp(join(tmpdir(), "stoa-identity-"));
    folders.push(home);
    return { home };
  });
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
});

describeWith(["postgres"], "identity on PostgreSQL", (services) => {
  identitySuite(async () => ({ url: (await services.postgres()).url }));
});
