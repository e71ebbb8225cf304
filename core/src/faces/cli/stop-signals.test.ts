import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { listenForStop } from "./stop-signals.ts";

function setUp() {
  let now = 0;
  const exits: number[] = [];
  const signals = new EventEmitter();
  const stop = listenForStop({
    clock: () => now,
    exit: (code) => exits.push(code),
    signals: signals as unknown as NodeJS.Process,
  });
  const send = (signal: NodeJS.Signals, atMs: number) => {
    now = atMs;
    signals.emit(signal, signal);
  };
  return { stop, exits, send, signals };
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s asks for a stop", async (signal) => {
  const { stop, exits, send } = setUp();
  send(signal, 0);
  expect(await stop.requested).toBe(signal);
  expect(exits).toEqual([]);
});

test("a second Ctrl-C ends the process at once", () => {
  const { exits, send } = setUp();
  send("SIGINT", 0);
  send("SIGINT", 500);
  expect(exits).toEqual([130]);
});

test("one press that arrives several times is one press", () => {
  const { exits, send } = setUp();
  for (const at of [0, 1, 20, 499]) send("SIGINT", at);
  expect(exits).toEqual([]);
});

test("a supervisor that asks again does not cut work short", () => {
  const { exits, send } = setUp();
  send("SIGTERM", 0);
  send("SIGTERM", 60_000);
  expect(exits).toEqual([]);
  send("SIGINT", 60_001);
  expect(exits).toEqual([130]);
});

test("nothing listens once it is closed", () => {
  const { stop, signals } = setUp();
  stop.close();
  expect(signals.eventNames()).toEqual([]);
});
