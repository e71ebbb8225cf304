import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "#platform/log";
import { describeWith } from "../../../../test/services/index.ts";
import { findCommand } from "../../../../test/services/install.ts";
import { busSuite } from "./bus.suite.ts";
import type { Bus } from "./bus.ts";
import { type OpenBusOptions, openBus } from "./open-bus.ts";
import { bytes, failure, text, waiting } from "./testing/kit.ts";

describeWith(["nats"], "the bus on NATS", (services) => {
  busSuite(async (options) => {
    const { url } = await services.nats();
    return { bus: await openBus({ url }, options), other: await openBus({ url }, options) };
  });

  describe("a server that comes and goes", () => {
    const children = new Set<ChildProcess>();
    const undo: Array<() => unknown> = [];
    afterEach(async () => {
      for (const step of undo.splice(0).reverse()) await step();
    });
    afterAll(() => {
      for (const child of children) child.kill("SIGKILL");
    });

    async function startServer(port: number, ...args: string[]): Promise<ChildProcess> {
      const command = await findCommand("nats-server");
      if (command === undefined) throw new Error("nats-server was there a moment ago");
      const child = spawn(command, ["-a", "127.0.0.1", "-p", String(port), ...args], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      children.add(child);
      undo.push(() => stop(child));
      let output = "";
      await new Promise<void>((resolve, reject) => {
        child.stderr?.on("data", (chunk: Buffer) => {
          output += chunk.toString();
          if (output.includes("Server is ready")) resolve();
        });
        child.once("exit", () => reject(new Error(`nats-server ended: ${output}`)));
      });
      return child;
    }

    async function stop(child: ChildProcess): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      children.delete(child);
    }

    async function freePort(): Promise<number> {
      const server = await listen();
      const { port } = server.address() as { port: number };
      server.close();
      await once(server, "close");
      return port;
    }

    async function listen(onSocket?: (socket: import("node:net").Socket) => void): Promise<Server> {
      const server = createServer(onSocket).listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }

    function options(extra: Partial<OpenBusOptions> = {}) {
      const lines: string[] = [];
      const log = createLogger({ format: "json", destination: { write: (line) => void lines.push(line) } });
      return { lines, options: { log, ...extra } };
    }

    async function opened(
      url: string,
      extra: Partial<OpenBusOptions> = {},
    ): Promise<{ bus: Bus; lines: string[] }> {
      const { lines, options: open } = options(extra);
      const bus = await openBus({ url }, open);
      undo.push(() => bus.close());
      return { bus, lines };
    }

    test("after a restart subscriptions, publishing and requests work again", async () => {
      const port = await freePort();
      const first = await startServer(port);
      const { bus, lines } = await opened(`nats://127.0.0.1:${port}`);
      const got: string[] = [];
      await bus.subscribe("events.*", ({ data }) => void got.push(text(data)));
      await bus.subscribe("echo", ({ data, reply }) => reply?.(data), { queue: "q" });
      await bus.subscribe("silent", () => {});
      await bus.publish("events.a", bytes("before"));
      await vi.waitUntil(() => got.length === 1, waiting);

      const unanswered = failure(bus.request("silent", bytes(""), { timeoutMs: 2 ** 31 - 1 }));
      await bus.ping();
      await stop(first);
      expect((await unanswered).code).toBe("BUS_UNREACHABLE");
      expect((await failure(bus.ping())).code).toBe("BUS_UNREACHABLE");
      const meanwhile = bus.publish("events.a", bytes("while it was away"));

      await startServer(port);
      await meanwhile;
      expect(text((await bus.request("echo", bytes("again"), { timeoutMs: 60_000 })).data)).toBe("again");
      await bus.publish("events.a", bytes("after"));
      await vi.waitUntil(() => got.length === 3, waiting);
      expect(got).toEqual(["before", "while it was away", "after"]);
      expect(lines.join()).toContain("connection lost");
      expect(lines.join()).toContain("connection is back");
    });

    test("while it is away publishing fails after a while, and close does not hang", async () => {
      const port = await freePort();
      const server = await startServer(port);
      const { bus } = await opened(`nats://127.0.0.1:${port}`);
      await bus.subscribe("a", () => {});
      await stop(server);
      await vi.waitUntil(
        () =>
          bus.ping().then(
            () => false,
            () => true,
          ),
        waiting,
      );
      const error = await failure(bus.publish("a", bytes("")));
      expect(error.code).toBe("BUS_UNREACHABLE");
      expect((await failure(bus.request("a", bytes(""), { timeoutMs: 10 }))).code).toBe("DEADLINE_EXCEEDED");
      await bus.close();
    });

    test("a server that hangs does not keep the bus from closing", async () => {
      const port = await freePort();
      const server = await startServer(port);
      const { bus } = await opened(`nats://127.0.0.1:${port}`, { drainTimeoutMs: 100 });
      await bus.subscribe("a", () => {});
      server.kill("SIGSTOP");
      await bus.close();
      expect((await failure(bus.publish("a", bytes("")))).code).toBe("SHUTTING_DOWN");
    });

    test("a server that starts late is waited for", async () => {
      const port = await freePort();
      const { lines, options: open } = options({ connectTimeoutMs: 60_000 });
      const opening = openBus({ url: `nats://127.0.0.1:${port}` }, open);
      await vi.waitUntil(() => lines.length >= 2, waiting);
      await startServer(port);
      const bus = await opening;
      await bus.ping();
      await bus.close();
      expect(lines[0]).toContain("trying again");
    });

    test("a server that never comes: what was tried, and no credentials", async () => {
      const port = await freePort();
      const { lines, options: open } = options({ connectTimeoutMs: 400 });
      const error = await failure(
        openBus({ url: `nats://me:hunter2@127.0.0.1:${port},other-token@127.0.0.1:${port}` }, open),
      );
      expect(error.code).toBe("BUS_UNREACHABLE");
      expect(error.message).toContain(`127.0.0.1:${port}`);
      expect(error.message).toMatch(/tried \d+ times over [\d.]+ s, last answer: connection refused/);
      expect(error.message).toContain("NATS_URL");
      const everything = JSON.stringify(error.details) + error.message + lines.join();
      expect(everything).not.toContain("hunter2");
      expect(everything).not.toContain("other-token");
    });

    test("waiting for a server can be aborted", async () => {
      const port = await freePort();
      const controller = new AbortController();
      const { lines, options: open } = options({ connectTimeoutMs: 600_000, signal: controller.signal });
      const opening = failure(openBus({ url: `nats://127.0.0.1:${port}` }, open));
      await vi.waitUntil(() => lines.length >= 1, waiting);
      controller.abort();
      expect((await opening).code).toBe("CANCELLED");
    });

    test("something that is no NATS server is not mistaken for one", async () => {
      const server = await listen((socket) => {
        socket.on("error", () => {});
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      });
      undo.push(() => server.close());
      const { port } = server.address() as { port: number };
      const { options: open } = options({ connectTimeoutMs: 300 });
      const error = await failure(openBus({ url: `nats://127.0.0.1:${port}` }, open));
      expect(error.code).toBe("BUS_UNREACHABLE");
    });

    test("a server that says nothing does not hold the start for ever", async () => {
      const server = await listen((socket) => {
        socket.on("error", () => {});
        undo.push(() => socket.destroy());
      });
      undo.push(() => server.close());
      const { port } = server.address() as { port: number };
      const { options: open } = options({ connectTimeoutMs: 300 });
      const error = await failure(openBus({ url: `nats://127.0.0.1:${port}` }, open));
      expect(error.code).toBe("BUS_UNREACHABLE");
    });

    test("credentials in the URL are used, and wrong ones are not tried again and again", async () => {
      const port = await freePort();
      await startServer(port, "--user", "me", "--pass", "p@ss/word");
      const { bus } = await opened(`nats://me:${encodeURIComponent("p@ss/word")}@127.0.0.1:${port}`);
      await bus.ping();
      expect(bus.name).toBe(`NATS at 127.0.0.1:${port}`);
      const { lines, options: open } = options({ connectTimeoutMs: 600_000 });
      const error = await failure(openBus({ url: `nats://me:wrong-password@127.0.0.1:${port}` }, open));
      expect(error.code).toBe("BUS_UNREACHABLE");
      expect(error.message).toContain("tried once");
      expect(error.message).not.toContain("wrong-password");
      expect(lines).toEqual([]);
    });

    test("a token in the URL is used", async () => {
      const port = await freePort();
      await startServer(port, "--auth", "s3cr3t-token");
      const { bus } = await opened(`nats://s3cr3t-token@127.0.0.1:${port}`);
      await bus.ping();
    });

    test("headers that another program made badly do not stop a subscription", async () => {
      const port = await freePort();
      await startServer(port);
      const { bus, lines } = await opened(`nats://127.0.0.1:${port}`);
      const got: string[] = [];
      await bus.subscribe("a", ({ data }) => void got.push(text(data)));
      const { connect } = await import("node:net");
      const socket = connect(port, "127.0.0.1");
      undo.push(() => socket.destroy());
      const bad = "NATS/1.0\r\na b\u0001: x\r\n\r\n";
      socket.write(
        `CONNECT {"headers":true,"verbose":false}\r\nHPUB a ${bad.length} ${bad.length}\r\n${bad}\r\nPUB a 2\r\nok\r\n`,
      );
      await vi.waitUntil(() => got.length === 1, waiting);
      expect(got).toEqual(["ok"]);
      expect(lines.join()).toContain("unreadable headers");
    });
  });
});
