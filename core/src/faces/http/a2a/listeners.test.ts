import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createHttpHost } from "#platform/http";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { AgentListenersOnHttp } from "./listeners.ts";

const opened: AgentListenersOnHttp[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listeners) => listeners.closeAll()));
});

function listening({ gate, corePorts = [] }: { gate?: Promise<void>; corePorts?: number[] } = {}) {
  const slow = Promise.withResolvers<void>();
  const listeners = new AgentListenersOnHttp({
    bindHost: "127.0.0.1",
    corePorts,
    createHost: async (agentAt) => {
      const host = createHttpHost({
        log: createLogger({ level: "silent" }),
        telemetry: createTelemetry(),
        drainTimeoutMs: 60_000,
      });
      const config = { auth: "none" as const };
      host.app.get("/who", { config }, async () => ({ agent: agentAt(undefined) ?? "nobody" }));
      host.app.get("/slow", { config }, async () => {
        slow.resolve();
        await gate;
        return {};
      });
      return host;
    },
  });
  opened.push(listeners);
  const open = (id: string, port: number) =>
    listeners.open({ id, deploymentUrl: `http://127.0.0.1:${port}` });
  return { listeners, open, slowBegun: slow.promise };
}

async function who(port: number): Promise<string> {
  return ((await (await fetch(`http://127.0.0.1:${port}/who`)).json()) as { agent: string }).agent;
}

async function occupied() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

async function freePort(): Promise<number> {
  const { port, free } = await occupied();
  await free();
  return port;
}

test("an agent that cannot have its new port keeps its old one", async () => {
  const { open } = listening();
  const old = await freePort();
  const taken = await occupied();
  await open("a", old);
  await expect(open("a", taken.port)).rejects.toMatchObject({ code: "PORT_TAKEN" });
  expect(await who(old)).toBe("a");
  await taken.free();
  await open("a", taken.port);
  expect(await who(taken.port)).toBe("a");
});

test("the core's own ports are not given away, bound or not", async () => {
  const port = await freePort();
  const { open } = listening({ corePorts: [port] });
  await expect(open("a", port)).rejects.toMatchObject({
    code: "PORT_TAKEN",
    message: expect.stringContaining("the core's own"),
  });
});

test("a listener that waits for its last call holds up nobody else, and its port is reopened after it", async () => {
  const gate = Promise.withResolvers<void>();
  const { listeners, open, slowBegun } = listening({ gate: gate.promise });
  const [busy, other] = [await freePort(), await freePort()];
  await open("a", busy);
  const call = fetch(`http://127.0.0.1:${busy}/slow`);
  await slowBegun;
  const closing = listeners.close("a");
  await open("b", other);
  expect(await who(other)).toBe("b");
  const again = open("c", busy);
  gate.resolve();
  expect((await call).status).toBe(200);
  await Promise.all([closing, again]);
  expect(await who(busy)).toBe("c");
});

test("an agent that moves is gone from its old address at once, and does not wait for the calls there", async () => {
  const gate = Promise.withResolvers<void>();
  const { open, slowBegun } = listening({ gate: gate.promise });
  const [before, after] = [await freePort(), await freePort()];
  await open("a", before);
  const call = fetch(`http://127.0.0.1:${before}/slow`);
  await slowBegun;
  await open("a", after);
  expect(await who(after)).toBe("a");
  gate.resolve();
  expect((await call).status).toBe(200);
});
