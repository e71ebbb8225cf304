import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith } from "../services/index.ts";
import { readTrace, unsafe } from "./trace.ts";

const run = promisify(execFile);
const child = (name: string) => fileURLToPath(new URL(`./children/${name}`, import.meta.url));
const count = 60;

// A killed process proves little: the kernel still writes out what it had in its cache. The order of the system
// calls shows that the log was on the disk before the caller heard of it.
describeWith(["strace"], "system calls", (services) => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "stoa-trace-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function trace(...command: string[]) {
    const output = join(home, "trace");
    const { path } = await services.tool("strace");
    const calls = "trace=write,pwrite64,fsync,fdatasync";
    await run(path, ["-f", "-y", "-s", "32", "-e", calls, "-o", output, process.execPath, ...command]);
    return readTrace(await readFile(output, "utf8"));
  }

  test("between a write and its acknowledgement the log is synced", async () => {
    const events = await trace(child("write.ts"), JSON.stringify({ home }), `${count}`, "1");
    expect(events.filter((event) => event.kind === "ack")).toHaveLength(count);
    expect(unsafe(events)).toEqual([]);
  });

  test("a writer that does not sync is found out", async () => {
    const events = await trace(child("write-unsynced.ts"), join(home, "bare.db"), `${count}`);
    expect(events.filter((event) => event.kind === "ack")).toHaveLength(count);
    expect(unsafe(events)).toHaveLength(count);
  });

  test("writers at one time share syncs", async () => {
    const events = await trace(child("write.ts"), JSON.stringify({ home }), "600", "100");
    const acks = events.filter((event) => event.kind === "ack");
    const syncs = events.filter((event) => event.kind === "sync");
    expect(acks).toHaveLength(600);
    expect(syncs.length).toBeLessThan(acks.length / 3);
  });
});
