import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { createLogger } from "../core/src/platform/log/index.ts";
import { openStore, type Store } from "../core/src/platform/store/index.ts";
import { describeWith, services } from "./services/index.ts";

/** The same tests on a fresh SQLite file and on a fresh PostgreSQL database. */
export function onBothDatabases(title: string, body: (store: () => Store) => void): void {
  const log = createLogger({ level: "silent", format: "json" });
  describe(`${title} on SQLite`, () => {
    let home: string;
    let store: Store;
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "stoa-store-"));
      store = await openStore({ home }, { log });
    });
    afterAll(async () => {
      await store?.close();
      await rm(home, { recursive: true, force: true });
    });
    body(() => store);
  });
  describeWith(["postgres"], `${title} on PostgreSQL`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await openStore(await services.postgres(), { log });
    });
    afterAll(() => store?.close());
    body(() => store);
  });
}
