import { Memory } from "@stoa/proto/crawbl/agentruntime/v1/memory_pb";
import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { Health, HealthCheckResponse_ServingStatus as Serving } from "@stoa/proto/grpc/health/v1/health_pb";
import { expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "./client.ts";
import { startHost } from "./test-host.ts";

async function start() {
  const { host, address } = await startHost();
  const health = createGrpcClient(Health, address);
  onTestFinished(() => health.close());
  return { host, health };
}

test("the host and each service have a status", async () => {
  const { host, health } = await start();
  expect(await health.check({})).toMatchObject({ status: Serving.SERVING });
  host.health.set(AgentRuntime.typeName, "NOT_SERVING");
  expect(await health.check({ service: AgentRuntime.typeName })).toMatchObject({
    status: Serving.NOT_SERVING,
  });
  expect(await health.check({ service: "selu.capability.Capability" })).toMatchObject({
    status: Serving.SERVING,
  });
});

test("a service that is not there is NOT_FOUND for Check", async () => {
  const { health } = await start();
  await expect(health.check({ service: "no.such" })).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("all of them can be listed", async () => {
  const { health } = await start();
  const { statuses } = await health.list({});
  expect(Object.keys(statuses).sort()).toEqual([
    "",
    "crawbl.agentruntime.v1.AgentRuntime",
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "selu.capability.Capability",
  ]);
});

test("a watcher is told the status now and at each change", async () => {
  const { host, health } = await start();
  const watching = health.watch({})[Symbol.asyncIterator]();
  const next = async () => (await watching.next()).value?.status;
  expect(await next()).toBe(Serving.SERVING);
  const change = next();
  host.health.set("", "NOT_SERVING");
  expect(await change).toBe(Serving.NOT_SERVING);
  host.health.set("other", "SERVING");
  const back = next();
  host.health.set("", "SERVING");
  expect(await back).toBe(Serving.SERVING);
});

test("a service that is not there is SERVICE_UNKNOWN for Watch, until it is there", async () => {
  const { host, health } = await start();
  const watching = health.watch({ service: Memory.typeName })[Symbol.asyncIterator]();
  expect((await watching.next()).value).toMatchObject({ status: Serving.SERVICE_UNKNOWN });
  const change = watching.next();
  const nothing = async () => ({});
  host.add(Memory, { listMemories: nothing, createMemory: nothing, deleteMemory: nothing });
  expect((await change).value).toMatchObject({ status: Serving.SERVING });
});
