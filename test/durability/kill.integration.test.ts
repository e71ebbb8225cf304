import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { createLogger } from "../../core/src/platform/log/index.ts";
import { openStore, type Store, type StoreLocation } from "../../core/src/platform/store/index.ts";
import { describeWith } from "../services/index.ts";
import { readEntries, writeEntry } from "./entries.ts";

const log = createLogger({ level: "silent" });
const writes = 10_000;
/** More than a pipe can hold unread: a child that is to be killed must not come to its end before. */
const endless = 100_000;
const program = fileURLToPath(new URL("./children/write.ts", import.meta.url));
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

/** Runs a process that writes, kills it once `until` writes were acknowledged, and returns all that were. */
async function writeAndKill(location: StoreLocation, until: number): Promise<Set<number>> {
  const child: ChildProcess = spawn(
    process.execPath,
    [program, JSON.stringify(location), `${endless}`, "200"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  cleanUp.push(async () => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const acknowledged = new Set<number>();
  if (child.stdout === null) throw new Error("no output to read");
  for await (const line of createInterface(child.stdout)) {
    const ack = /^ack (\d+)$/.exec(line);
    if (ack !== null) acknowledged.add(Number(ack[1]));
    if (acknowledged.size === until) child.kill("SIGKILL");
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
  return acknowledged;
}

async function open(location: StoreLocation): Promise<Store> {
  const store = await openStore(location, { log });
  cleanUp.push(() => store.close());
  return store;
}

async function expectAll(location: StoreLocation, acknowledged: ReadonlySet<number>): Promise<void> {
  const { whole, torn } = await readEntries(await open(location));
  expect([...acknowledged].filter((entry) => !whole.has(entry))).toEqual([]);
  expect(torn).toEqual([]);
}

describe("a process that writes to SQLite and is killed", () => {
  test.each([1, 1_500, writes])("after %i acknowledgements has lost none of them", async (until) => {
    const home = await mkdtemp(join(tmpdir(), "stoa-kill-"));
    cleanUp.push(() => rm(home, { recursive: true, force: true }));
    const acknowledged = await writeAndKill({ home }, until);
    expect(acknowledged.size).toBeGreaterThanOrEqual(until);
    await expectAll({ home }, acknowledged);
  });
});

describeWith(["postgres"], "PostgreSQL", (services) => {
  test("loses nothing that it acknowledged to a process that is killed", async () => {
    const { url } = await services.postgres();
    const acknowledged = await writeAndKill({ url }, writes / 2);
    await expectAll({ url }, acknowledged);
  });

  test("is killed itself, with everything it forked, and has lost nothing that it acknowledged", async () => {
    const server = await services.ownPostgres();
    cleanUp.push(() => server.stop());
    const store = await open({ url: server.url });
    const acknowledged = new Set<number>();
    let killed: Promise<void> | undefined;
    const results = await Promise.allSettled(
      Array.from({ length: writes }, async (_, entry) => {
        await writeEntry(store, entry);
        acknowledged.add(entry);
        if (acknowledged.size === 1_500) killed = server.kill9();
      }),
    );
    await killed;
    expect(acknowledged.size).toBeLessThan(writes);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "STORE_UNREACHABLE" });
    }
    await server.restart();
    await expectAll({ url: server.url }, acknowledged);
    // The store that saw it die goes on with the one that came back.
    await writeEntry(store, writes);
  });
});
