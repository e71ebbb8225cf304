import { Health } from "@stoa/proto/grpc/health/v1/health_pb";
import { describe, expect, onTestFinished, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createGrpcClient } from "./client.ts";
import { Slots } from "./limits.ts";
import { collect, deferred, startHost } from "./test-host.ts";

const keys: Record<string, string> = { "Bearer good": "alice" };

describe("who may call", () => {
  const authenticate = async (metadata: { get(key: string): unknown[] }) => {
    const who = keys[String(metadata.get("Authorization")[0])];
    if (who === undefined) throw new StoaError("UNAUTHENTICATED", "Show who you are.");
    return who;
  };
  const good = { metadata: { authorization: "Bearer good" } };

  test("a handler learns who calls", async () => {
    const { capability } = await startHost({
      authenticate,
      handlers: { invoke: (_, { principal, peer }) => ({ error: `${principal} at ${peer}` }) },
    });
    expect((await capability(good).invoke({})).error).toMatch(/^alice at 127\.0\.0\.1:\d+$/);
  });

  test("whoever does not show it is refused before a handler or a message is touched", async () => {
    let touched = 0;
    const { capability, runtime } = await startHost({
      authenticate,
      handlers: {
        invoke: () => {
          touched += 1;
          return {};
        },
      },
    });
    const refused = { code: "UNAUTHENTICATED", message: "Show who you are." };
    await expect(capability().invoke({})).rejects.toMatchObject(refused);
    await expect(collect(capability().streamInvoke({}))).rejects.toMatchObject(refused);
    const endless = async function* () {
      for (;;) yield { data: new Uint8Array(1000) };
    };
    await expect(capability().uploadInputArtifact(endless())).rejects.toMatchObject(refused);
    const one = async function* () {
      yield { message: "hello" };
    };
    await expect(collect(runtime().converse(one()))).rejects.toMatchObject(refused);
    expect(touched).toBe(0);
  });

  test("an authenticator that answers at once is as good as one that takes its time", async () => {
    const { capability } = await startHost({
      authenticate: (metadata) => String(metadata.get("authorization")[0]),
      handlers: { invoke: (_, { principal = "" }) => ({ error: principal }) },
    });
    expect((await capability(good).invoke({})).error).toBe("Bearer good");
  });

  test("an authenticator that breaks lets nobody in", async () => {
    const { capability } = await startHost({
      authenticate: () => {
        throw new Error("the database password is hunter2");
      },
    });
    const error = await capability()
      .invoke({})
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "INTERNAL" });
    expect(error.message).not.toContain("hunter2");
  });

  test("health and reflection are open to everybody", async () => {
    const { address } = await startHost({ authenticate });
    const health = createGrpcClient(Health, address);
    onTestFinished(() => health.close());
    expect(await health.check({})).toMatchObject({ status: 1 });
  });

  test("a service may be open to everybody", async () => {
    const { capability } = await startHost({ authenticate, add: { authenticate: false } });
    await expect(capability().invoke({})).resolves.toBeDefined();
  });

  test("a stream can check its caller again", async () => {
    const { runtime } = await startHost({
      authenticate,
      async *conversation(requests, ctx) {
        for await (const _ of requests) {
          await ctx.reauthenticate();
          yield {};
        }
      },
    });
    onTestFinished(() => {
      keys["Bearer good"] = "alice";
    });
    const next = deferred();
    const requests = async function* () {
      yield { message: "while the token holds" };
      await next.promise;
      yield { message: "when it no longer does" };
    };
    const read = async () => {
      for await (const _ of runtime(good).converse(requests())) {
        delete keys["Bearer good"];
        next.resolve();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });
});

describe("how many may call", () => {
  /** A host whose calls last until they are let go, and how many of them there are. */
  async function busy(options: Parameters<typeof startHost>[0], full = 1) {
    const release = deferred();
    const started = deferred();
    const gate = { running: 0, most: 0, started: started.promise };
    const running = await startHost({
      ...options,
      handlers: {
        async invoke() {
          gate.running += 1;
          gate.most = Math.max(gate.most, gate.running);
          if (gate.running === full) started.resolve();
          await release.promise;
          gate.running -= 1;
          return {};
        },
      },
    });
    return { ...running, gate, release: release.resolve };
  }

  test("one call too many is told the limit and the setting; the slot is free again afterwards", async () => {
    const { capability, gate, release } = await busy({ maxConcurrentCalls: 1 });
    const client = capability();
    const first = client.invoke({});
    await gate.started;
    await expect(client.invoke({})).rejects.toMatchObject({
      code: "RATE_LIMITED",
      message: expect.stringMatching(/^1 calls.*STOA_GRPC_MAX_CONCURRENT_CALLS/),
      details: { grpcStatus: "RESOURCE_EXHAUSTED" },
    });
    release();
    await first;
    await expect(client.invoke({})).resolves.toBeDefined();
  });

  test("health is answered however many call", async () => {
    const { address, capability, gate, release } = await busy({ maxConcurrentCalls: 1 });
    const first = capability().invoke({});
    await gate.started;
    const health = createGrpcClient(Health, address);
    onTestFinished(() => health.close());
    expect(await health.check({})).toMatchObject({ status: 1 });
    release();
    await first;
  });

  test("a handler that is still at work keeps its slot when its caller is gone", async () => {
    const { capability, gate, release } = await busy({ maxConcurrentCalls: 1 });
    const client = capability();
    const gone = client.invoke({}, { timeoutMs: 100 });
    await gate.started;
    await expect(gone).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    await expect(client.invoke({})).rejects.toMatchObject({ code: "RATE_LIMITED" });
    release();
  });

  test("a service with a queue runs as many as it may, and the rest in turn", async () => {
    const { capability, gate, release } = await busy({ add: { maxConcurrent: 3, queue: true } }, 3);
    const client = capability();
    const calls = Array.from({ length: 20 }, () => client.invoke({}));
    await gate.started;
    release();
    expect(await Promise.all(calls)).toHaveLength(20);
    expect(gate.most).toBe(3);
  });

  test("a queue has an end", async () => {
    const setting = "grpc.maxWorkers (GRPC__MAX_WORKERS)";
    const { capability, gate, release } = await busy({
      add: { maxConcurrent: 1, queue: true, maxQueued: 1, setting },
    });
    const client = capability();
    const first = client.invoke({});
    await gate.started;
    const others = [client.invoke({}), client.invoke({})];
    // The one that waits cannot be the first to settle.
    await Promise.race(others).catch(() => {});
    release();
    const settled = await Promise.allSettled(others);
    expect(settled.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: { code: "RATE_LIMITED", message: expect.stringContaining(setting) } },
    ]);
    await first;
  });

  test("whoever gives up waiting leaves the queue, and is never served", () => {
    const slots = new Slots({ maxConcurrent: 1, queue: true });
    const served: string[] = [];
    slots.take(() => served.push("a"));
    const leave = slots.take(() => served.push("b"));
    slots.take(() => served.push("c"));
    leave();
    slots.release();
    slots.release();
    slots.take(() => served.push("d"));
    expect([served, slots.waiting, slots.taken]).toEqual([["a", "c", "d"], 0, 1]);
  });
});
