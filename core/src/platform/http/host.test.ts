import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { createHttpHost } from "./host.ts";
import { closeHosts, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const open = { config: { auth: "none" } } as const;
const member = { authorization: "Bearer member" };

describe("every answer", () => {
  test("carries the caller's request id, or one of ours where that is not sane", async () => {
    const { url } = await startHost((app) => app.get("/id", open, async (request) => ({ id: request.id })));
    const idFor = async (given: string) => {
      const response = await fetch(`${url}/id`, { headers: { "x-request-id": given } });
      const { id } = (await response.json()) as { id: string };
      expect(response.headers.get("x-request-id")).toBe(id);
      return id;
    };
    expect(await idFor("trace-1:a.b_c")).toBe("trace-1:a.b_c");
    for (const hostile of ["", " ", "a b", "<script>", "x".repeat(129), "é", "-a"]) {
      expect(await idFor(hostile)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test("carries headers that keep browsers from mischief", async () => {
    const { url } = await startHost();
    for (const path of ["/healthz", "/nope"]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("strict-transport-security")).toBeNull();
    }
  });

  test("to HEAD is that to GET without the body", async () => {
    const { url } = await startHost((app) => app.get("/thing", open, async () => ({ a: 1 })));
    for (const [path, status] of [
      ["/thing", 200],
      ["/healthz", 200],
      ["/nope", 404],
    ] as const) {
      const [head, get] = [await fetch(url + path, { method: "HEAD" }), await fetch(url + path)];
      expect([head.status, get.status]).toEqual([status, status]);
      expect(await head.text()).toBe("");
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      if (status === 200) expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    }
  });
});

describe("listening", () => {
  test("a taken port: which one, and what to change", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const telemetry = createTelemetry();
    const host = createHttpHost({ log: createLogger({ level: "silent" }), telemetry });
    try {
      await expect(host.listen({ host: "127.0.0.1", port })).rejects.toMatchObject({
        code: "PORT_TAKEN",
        message: expect.stringMatching(new RegExp(`port ${port} is in use.*http\\.port \\(STOA_HTTP_PORT`)),
        details: { port, host: "127.0.0.1" },
      });
    } finally {
      await host.close();
      taken.close();
    }
  });

  test("another setting's name for another listener", async () => {
    const first = await startHost();
    await expect(startHostOn(first.port, "deployment.url of the agent")).rejects.toThrow(
      /choose another port with deployment\.url of the agent/,
    );
  });

  test("an address that is not this machine's", async () => {
    const host = createHttpHost({ log: createLogger({ level: "silent" }), telemetry: createTelemetry() });
    await expect(host.listen({ host: "203.0.113.1", port: 0 })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
    await host.close();
  });

  test("two hosts share one registry, each on its own port", async () => {
    const telemetry = createTelemetry();
    const one = await startHost((app) => app.get("/a", open, async () => 1), { telemetry });
    const two = await startHost((app) => app.get("/b", open, async () => 2), { telemetry });
    expect((await fetch(`${one.url}/b`)).status).toBe(404);
    expect((await fetch(`${two.url}/b`)).status).toBe(200);
    const counted = 'stoa_http_requests_total{method="GET",route="/b",status="200"} 1';
    const metrics = async () => (await fetch(`${one.url}/metrics`)).text();
    await vi.waitUntil(async () => (await metrics()).includes(counted), { timeout: 60_000, interval: 5 });
  });

  async function startHostOn(port: number, setting: string): Promise<void> {
    const host = createHttpHost({ log: createLogger({ level: "silent" }), telemetry: createTelemetry() });
    try {
      await host.listen({ host: "127.0.0.1", port, setting });
    } finally {
      await host.close();
    }
  }
});

test("an authenticated route works end to end", async () => {
  const { url } = await startHost((app) =>
    app.get("/me", async (request) => ({ role: request.principal?.role })),
  );
  expect(await (await fetch(`${url}/me`, { headers: member })).json()).toEqual({ role: "member" });
});
