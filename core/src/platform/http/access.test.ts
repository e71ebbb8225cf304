import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { createHttpHost } from "./host.ts";
import { closeHosts, envelopeOf, startHost } from "./testing/fixture.ts";
import type { RouteAuth } from "./types.ts";

afterEach(closeHosts);

const as = (role: string) => ({ headers: { authorization: `Bearer ${role}` } });

describe("routes are closed by default", () => {
  const cases: Array<[RouteAuth | undefined, Record<string, number>]> = [
    [undefined, { nobody: 401, stranger: 401, viewer: 200, member: 200, admin: 200 }],
    ["none", { nobody: 200, stranger: 200, viewer: 200, member: 200, admin: 200 }],
    ["viewer", { nobody: 401, stranger: 401, viewer: 200, member: 200, admin: 200 }],
    ["member", { nobody: 401, stranger: 401, viewer: 403, member: 200, admin: 200 }],
    ["admin", { nobody: 401, stranger: 401, viewer: 403, member: 403, admin: 200 }],
  ];
  test.each(cases)("auth %s", async (auth, expected) => {
    const { url } = await startHost((app) =>
      app.get("/x", auth === undefined ? {} : { config: { auth } }, async () => "in"),
    );
    for (const [caller, status] of Object.entries(expected)) {
      const response = await fetch(`${url}/x`, caller === "nobody" ? {} : as(caller));
      expect([caller, response.status]).toEqual([caller, status]);
      if (status === 401) {
        expect(response.headers.get("www-authenticate")).toBe('Bearer realm="stoa"');
        expect((await envelopeOf(response)).code).toBe("UNAUTHENTICATED");
      }
      if (status === 403)
        expect((await envelopeOf(response)).details).toEqual({ needed: auth, role: caller });
    }
  });

  test("without a way to authenticate nobody gets in", async () => {
    const bare = createHttpHost({ log: createLogger({ level: "silent" }), telemetry: createTelemetry() });
    bare.app.get("/x", async () => "in");
    const { port } = await bare.listen({ host: "127.0.0.1", port: 0 });
    expect((await fetch(`http://127.0.0.1:${port}/x`, as("admin"))).status).toBe(401);
    await bare.close();
  });

  test("HEAD and routes of plugins are closed too", async () => {
    const { url } = await startHost((app) => {
      app.register(
        async (scope) => {
          scope.get("/inside", async () => "in");
        },
        { prefix: "/plugin" },
      );
    });
    expect((await fetch(`${url}/plugin/inside`)).status).toBe(401);
    expect((await fetch(`${url}/plugin/inside`, { method: "HEAD" })).status).toBe(401);
    expect((await fetch(`${url}/plugin/inside`, as("viewer"))).status).toBe(200);
  });

  test("a refusal comes before the body is read", async () => {
    let parsed = false;
    const { raw } = await startHost((app) => {
      app.addHook("preParsing", async () => {
        parsed = true;
      });
      app.post("/x", async () => "in");
    });
    const answer = await raw(
      "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    expect(answer).toMatch(/^HTTP\/1.1 401/);
    expect(parsed).toBe(false);
  });

  test("what the authenticator says is what the caller hears", async () => {
    const { url } = await startHost((app) => app.get("/x", async () => "in"), {
      authenticate: async () => {
        throw new StoaError("UNAUTHENTICATED", "The token has expired.");
      },
    });
    const response = await fetch(`${url}/x`, as("admin"));
    expect(response.status).toBe(401);
    expect((await envelopeOf(response)).message).toBe("The token has expired.");
  });

  test("an authenticator that breaks lets nobody in", async () => {
    const { url } = await startHost((app) => app.get("/x", async () => "in"), {
      authenticate: async () => {
        throw new Error("database away");
      },
    });
    const response = await fetch(`${url}/x`, as("admin"));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("database");
  });
});

describe("local routes", () => {
  const status = () => ({ version: "1", uptimeSeconds: 1, agents: [], capabilities: [] });

  test("are open on this machine, by a loopback name", async () => {
    const { url, port, raw } = await startHost(() => {}, { status });
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(200);
    for (const name of ["localhost", `localhost:${port}`, "[::1]", "127.9.9.9", "stoa.localhost"]) {
      expect(await raw(`GET /metrics HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 200/,
      );
    }
  });

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "",
    "a b",
    "127.0.0.1@evil.example",
  ])("are closed to a page whose own name points here (Host: %s)", async (name) => {
    const { raw } = await startHost(() => {}, { status });
    expect(await raw(`GET /metrics HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 40[01]/,
    );
  });

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal)?.address;
  test.skipIf(outside === undefined)(
    "need a credential where other machines can reach the listener",
    async () => {
      const { port } = await startHost(() => {}, { status }, "0.0.0.0");
      const url = `http://${outside}:${port}`;
      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      expect((await fetch(`${url}/metrics`, as("viewer"))).status).toBe(200);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const page = await fetch(`${url}/`, { headers: { accept: "text/html" } });
      expect([page.status, page.headers.get("content-type")]).toEqual([401, "text/html; charset=utf-8"]);
      expect(await page.text()).toContain("A credential is needed");
      expect((await envelopeOf(await fetch(`${url}/`))).code).toBe("UNAUTHENTICATED");
    },
  );
});
