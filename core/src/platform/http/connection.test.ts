import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { closeHosts, received, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const open = { config: { auth: "none" } } as const;
const waiting = { timeout: 60_000, interval: 5 };

describe("what is no HTTP", () => {
  test.each([
    ["words", "hello there\r\n\r\n", 400],
    ["an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["a TLS handshake", Buffer.from("16030100c8010000c40303", "hex"), 400],
    ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["a bad version", "GET / HTTP/9.9\r\n\r\n", 400],
    ["a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a length that is no number", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", 400],
    ["no host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    [
      "a bad chunk",
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
  ])("%s", async (_, bytes, status) => {
    const { raw, url } = await startHost((app) => app.post("/echo", open, async () => ({})));
    const answer = await raw(bytes);
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(answer.toLowerCase()).toContain("connection: close");
    const [, body = ""] = answer.split("\r\n\r\n");
    expect(JSON.parse(body)).toEqual({
      error: { code: expect.any(String), message: expect.any(String), requestId: expect.any(String) },
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("random bytes on many sockets leave the host standing", async () => {
    const { socket, url } = await startHost();
    const ends: Array<Promise<unknown>> = [];
    for (let round = 0; round < 40; round++) {
      const opened = await socket();
      ends.push(received(opened));
      opened.write(crypto.getRandomValues(new Uint8Array(1 + round * 50)));
      opened.end();
    }
    await Promise.all(ends);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe("slow senders", () => {
  test.each([
    ["headers that do not end", "GET /healthz HTTP/1.1\r\nHost: x\r\n"],
    [
      "a body that does not come",
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ],
    ["nothing at all", ""],
  ])("%s: told, and let go", async (_, bytes) => {
    const { socket } = await startHost((app) => app.post("/echo", open, async () => ({})), {
      headersTimeoutMs: 200,
      requestTimeoutMs: 300,
    });
    const opened = await socket();
    const answer = received(opened);
    if (bytes !== "") opened.write(bytes);
    const text = await answer;
    if (bytes !== "") expect(text).toMatch(/^HTTP\/1.1 408 .*DEADLINE_EXCEEDED/s);
  });

  test("a client that goes away is counted as gone, and its handler is told", async () => {
    const told = Promise.withResolvers<void>();
    const { socket, url } = await startHost((app) =>
      app.get("/long", open, async (request) => {
        request.signal.addEventListener("abort", () => told.resolve());
        await told.promise;
        return {};
      }),
    );
    const opened = await socket();
    opened.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
    await vi.waitUntil(async () => (await metric(url, "stoa_http_requests_under_way")) >= 2, waiting);
    opened.destroy();
    await told.promise;
    await vi.waitUntil(
      async () =>
        (await metrics(url)).includes('stoa_http_requests_total{method="GET",route="/long",status="499"} 1'),
      waiting,
    );
  });
});

describe("close", () => {
  test("lets requests under way finish, takes no new ones, and is quick with idle sockets", async () => {
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { host, port, socket } = await startHost((app) =>
      app.get("/work", open, async () => {
        started.resolve();
        await gate.promise;
        return { done: true };
      }),
    );
    const idle = await socket();
    idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    const idleClosed = once(idle, "close");

    const busy = await socket();
    const answer = received(busy);
    busy.write("GET /work HTTP/1.1\r\nHost: x\r\n\r\n");
    await started.promise;

    const closed = host.close();
    expect(host.closing.aborted).toBe(true);
    await idleClosed;
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    // Another request behind the one under way, on the same connection.
    busy.write("GET /work HTTP/1.1\r\nHost: x\r\n\r\n");
    gate.resolve();
    await closed;
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(text.toLowerCase()).toContain("connection: close");
    expect(text).toContain('{"done":true}');
  });

  test("ends streams that listen to `closing`", async () => {
    const { host, url } = await startHost((app, host) =>
      app.get("/events", open, async (_request, reply) => {
        async function* events() {
          yield "data: 1\n\n";
          await new Promise<void>((resolve) => host.closing.addEventListener("abort", () => resolve()));
          yield "data: end\n\n";
        }
        const { Readable } = await import("node:stream");
        return reply.type("text/event-stream").send(Readable.from(events(), { objectMode: false }));
      }),
    );
    const response = await fetch(`${url}/events`);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n");
    const closed = host.close();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: end\n\n");
    await closed;
  });

  test("does not wait for ever, and says so", async () => {
    const started = Promise.withResolvers<void>();
    const { host, socket, lines } = await startHost(
      (app) =>
        app.get("/stuck", open, () => {
          started.resolve();
          return new Promise(() => {});
        }),
      { drainTimeoutMs: 50 },
    );
    const opened = await socket();
    const ended = once(opened, "close");
    opened.write("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n");
    await started.promise;
    await host.close();
    await ended;
    expect(lines.join()).toContain("did not finish");
  });

  test("twice is once, and before listening is fine", async () => {
    const { host } = await startHost();
    await Promise.all([host.close(), host.close()]);
  });

  test("a connection is kept between requests", async () => {
    const { port } = await startHost();
    const { Agent } = await import("node:http");
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let count = 0; count < 3; count++) {
      const sent = httpRequest({ port, host: "127.0.0.1", path: "/healthz", agent }).end();
      const [response] = await once(sent, "response");
      ports.add(response.socket.localPort);
      response.resume();
      await once(response, "end");
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });
});

async function metrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

async function metric(url: string, name: string): Promise<number> {
  const line = (await metrics(url)).split("\n").find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
