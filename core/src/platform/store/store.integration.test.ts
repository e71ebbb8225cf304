import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { describeWith } from "../../../../test/services/index.ts";
import { storeSuite } from "./store.suite.ts";

describe("the store on SQLite", () => {
  const folders: string[] = [];
  storeSuite(async () => {
    const home = await mkdtemp(join(tmpdir(), "stoa-store-"));
    folders.push(home);
    return { home };
  });
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
});

describeWith(["postgres"], "the store on PostgreSQL", (services) => {
  storeSuite(async () => ({ url: (await services.postgres()).url }));
});
