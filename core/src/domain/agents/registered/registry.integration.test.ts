import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentHandler } from "@stoa/proto/agent_handler_pb";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createLedger } from "#domain/ledger";
import { createGrpcHost } from "#platform/grpc";
import { createLogger } from "#platform/log";
import { onBothDatabases } from "../../../../../test/databases.ts";
import { AgentRegistry, type Registration } from "./index.ts";

const log = createLogger({ level: "silent", format: "json" });
const home = mkdtempSync(join(tmpdir(), "stoa-registry-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const minute = 60_000;

onBothDatabases("the registry", (store) => {
  let now: number;
  beforeEach(() => {
    now = 1_800_000_000_000;
  });

  function open(): AgentRegistry {
    const registry = new AgentRegistry({
      store: store(),
      ledger: createLedger({ store: store(), home, log }),
      // An address is not what is looked at here: agents are served in test/e2e.
      listeners: { open: async ({ deploymentUrl }) => ({ url: deploymentUrl }), close: async () => {} },
      home,
      clock: () => now,
      log,
      // The tests look when they want to.
      healthCheckIntervalMs: 2 ** 30,
      isReserved: (id) => id === "assistant",
    });
    onTestFinished(() => registry.close());
    return registry;
  }

  const registration = (name: string, owner: string, more: Partial<Registration> = {}): Registration => ({
    configJson: JSON.stringify({ author: "a@b.c", name, deployment: { url: "http://localhost:3773" } }),
    skills: [],
    callbackAddress: "127.0.0.1:1",
    workspaceId: owner.split("/")[0] ?? "",
    owner,
    ...more,
  });
  const rowOf = (id: string) =>
    store().db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

  test("an identity stays with its first owner, also when the agent is gone", async () => {
    const registry = open();
    const { id, did } = await registry.register(registration("taken", "a/alice"));
    await registry.unregister(id, "a/alice");
    expect(registry.get(id)).toBeUndefined();
    await expect(registry.unregister(id, "a/alice")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(registry.register(registration("taken", "b/bob"))).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    const restarted = open();
    await restarted.restore();
    expect(restarted.get(id)).toBeUndefined();
    await expect(restarted.register(registration("taken", "b/bob"))).rejects.toThrow(/another principal/);
    expect(await restarted.register(registration("taken", "a/alice"))).toMatchObject({ id, did });
    const again = open();
    await again.restore();
    expect(again.get(id)).toMatchObject({ owner: "a/alice", status: "active" });
  });

  test("an id of the fleet's is refused, and nothing is kept of it", async () => {
    const config = { id: "assistant", author: "a", name: "n", deployment: { url: "http://localhost:1" } };
    await expect(
      open().register(registration("n", "a/alice", { configJson: JSON.stringify(config) })),
    ).rejects.toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringContaining('"assistant"') });
    expect(await store().db.selectFrom("agents").selectAll().where("id", "=", "assistant").execute()).toEqual(
      [],
    );
  });

  test("an agent that fell silent is stale, after a restart too, until it is heard again", async () => {
    const registry = open();
    const { id } = await registry.register(registration("silent", "w/u"));
    now += 2 ** 33;
    await registry.probeAll();
    expect(registry.get(id)?.status).toBe("stale");
    const restarted = open();
    await restarted.restore();
    expect(restarted.get(id)?.status).toBe("stale");
    expect(await restarted.heartbeat(id, "other")).toBe(false);
    expect(restarted.get(id)?.status).toBe("stale");
    expect(await restarted.heartbeat(id, "w")).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "active", last_heartbeat_at: now });
  });

  test("a restarted core counts silence from the last sign of life, not from its own start", async () => {
    const { id } = await open().register(registration("long-gone", "w/u"));
    now += 2 ** 33;
    const restarted = open();
    await restarted.restore();
    expect(restarted.get(id)?.status).toBe("active");
    await restarted.probeAll();
    expect(restarted.get(id)?.status).toBe("stale");
  });

  test("heartbeats are written once a minute", async () => {
    const registry = open();
    const { id } = await registry.register(registration("chatty", "w/u"));
    const first = now;
    now += minute - 1;
    expect(await registry.heartbeat(id, "w")).toBe(true);
    expect((await rowOf(id)).last_heartbeat_at).toBe(first);
    now += 1;
    await registry.heartbeat(id, "w");
    expect((await rowOf(id)).last_heartbeat_at).toBe(now);
  });

  test("an agent that never heartbeats lives by answering", async () => {
    const host = createGrpcHost({ host: "127.0.0.1", port: 0, log });
    onTestFinished(() => host.drain(0));
    host.add(AgentHandler, {
      handleMessages: () => ({}),
      async *handleMessagesStream() {},
      getCapabilities: () => ({}),
      healthCheck: () => ({ healthy: true }),
    });
    await host.listen();
    const registry = open();
    const callbackAddress = `127.0.0.1:${host.port}`;
    const { id } = await registry.register(registration("quiet", "w/u", { callbackAddress }));
    now += 2 ** 33;
    await registry.probeAll();
    expect(registry.get(id)?.status).toBe("active");
  });

  test("skills are read from their files", async () => {
    const skill = {
      name: "",
      description: "",
      tags: [],
      inputModes: [],
      outputModes: [],
      version: "",
      author: "",
    };
    const rawContent = "---\nname: count\ndescription: Counts\n---\n";
    const agent = await open().register(
      registration("skilled", "w/u", { skills: [{ ...skill, rawContent, format: "markdown" }] }),
    );
    expect(agent.skills).toMatchObject([{ name: "count", description: "Counts" }]);
  });
});
