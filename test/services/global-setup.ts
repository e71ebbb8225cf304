import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { missingServices } from "./missing.ts";
import type { Notice } from "./protocol.ts";

interface Broker {
  users: number;
  ready: Promise<string>;
  stop(): Promise<void>;
}

// Several projects run this file, each in a module instance of its own, and share one broker.
const key = Symbol.for("stoa.test.service-broker");
const shared = globalThis as { [key]?: Broker };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared[key] ??= start();
  const broker = shared[key];
  broker.users++;
  project.provide("serviceBroker", await broker.ready);
  return async () => {
    broker.users--;
    if (broker.users > 0) return;
    delete shared[key];
    await broker.stop();
  };
}

/**
 * The broker is a process of its own, in a process group of its own, that lives as long as its standard input is open:
 * whatever ends this process, an interrupt or a kill -9, closes that pipe, and the broker stops what it started.
 */
function start(): Broker {
  const child = spawn(process.execPath, [fileURLToPath(new URL("broker.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const exited = once(child, "exit");
  const ready = new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`The service broker ended early with exit code ${code}.`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const notice: Notice = JSON.parse(line);
      if (notice.kind === "ready") resolve(notice.socketPath);
      else missingServices().set(notice.service, notice.reason);
    });
  });
  return {
    users: 0,
    ready,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
