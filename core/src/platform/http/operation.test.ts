import { afterEach, describe, expect, test, vi } from "vitest";
import { StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { ReadinessChecks } from "./readiness.ts";
import { closeHosts, envelopeOf, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const waiting = { timeout: 60_000, interval: 5 };
const metrics = async (url: string) => (await fetch(`${url}/metrics`)).text();
const open = { config: { auth: "none" } } as const;

interface OpenApi {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Record<string, Record<string, { security: object[]; responses: Record<string, object> }>>;
  readonly components: { readonly schemas: { readonly Error: { readonly required: string[] } } };
}

describe("/readyz", () => {
  test("is ready when every check is", async () => {
    const { url } = await startHost((_, host) => host.addReadiness("store", async () => {}));
    const response = await fetch(`${url}/readyz`);
    expect([response.status, await response.json()]).toEqual([200, { status: "ready" }]);
  });

  test("names what is not, and keeps foreign text to the log", async () => {
    let storeIsBack = false;
    const { url, lines, raw } = await startHost((_, host) => {
      host.addReadiness("store", async () => {
        if (!storeIsBack) throw new StoaError("STORE_UNREACHABLE", "The database at db:5432 is away.");
      });
      host.addReadiness("bus", () => {
        throw new Error("internal text");
      });
      host.addReadiness("fine", async () => {});
    });
    const response = await fetch(`${url}/readyz`);
    expect(response.status).toBe(503);
    const error = await envelopeOf(response);
    expect(error.code).toBe("UNAVAILABLE");
    expect(error.details).toEqual({ failing: ["store", "bus"] });
    expect(error.message).toContain("store (The database at db:5432 is away.)");
    expect(error.message).not.toContain("internal text");
    expect(lines.join()).toContain("internal text");

    const elsewhere = await raw("GET /readyz HTTP/1.1\r\nHost: stoa.example\r\nConnection: close\r\n\r\n");
    expect(elsewhere).toContain("Not ready: store, bus.");
    expect(elsewhere).not.toContain("db:5432");

    storeIsBack = true;
    expect((await envelopeOf(await fetch(`${url}/readyz`))).details).toEqual({ failing: ["bus"] });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("a check that hangs is given up, and told so", async () => {
    const checks = new ReadinessChecks(createLogger({ level: "silent" }), 20);
    let signal: AbortSignal | undefined;
    checks.add("store", (given) => {
      signal = given;
      return new Promise(() => {});
    });
    const { ready, checks: results } = await checks.ask();
    expect([ready, results.get("store")]).toEqual([false, "It did not answer within 20 ms."]);
    expect(signal?.aborted).toBe(true);
  });

  test("many who ask at once share one round", async () => {
    let rounds = 0;
    const gate = Promise.withResolvers<void>();
    const { url } = await startHost((_, host) =>
      host.addReadiness("store", async () => {
        rounds++;
        await gate.promise;
      }),
    );
    const asked = Array.from({ length: 5 }, () => fetch(`${url}/readyz`));
    const first = fetch(`${url}/healthz`);
    await first;
    gate.resolve();
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200);
    expect(rounds).toBeLessThan(5);
  });
});

describe("/metrics", () => {
  test("counts by route, not by path, so that no caller can make series", async () => {
    const { url } = await startHost((app) => app.get("/items/:id", open, async () => ({})));
    for (let id = 0; id < 50; id++) {
      await fetch(`${url}/items/${id}`);
      await fetch(`${url}/made-up-${id}`);
    }
    await vi.waitUntil(
      async () => (await metrics(url)).includes('route="/items/:id",status="200"} 50'),
      waiting,
    );
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const series = (await response.text())
      .split("\n")
      .filter((line) => line.startsWith("stoa_http_requests_total") && !line.includes("/metrics"));
    expect(series.sort()).toEqual([
      'stoa_http_requests_total{method="GET",route="(none)",status="404"} 50',
      'stoa_http_requests_total{method="GET",route="/items/:id",status="200"} 50',
    ]);
  });

  test("has durations, and the process's own", async () => {
    const { url } = await startHost();
    await fetch(`${url}/healthz`);
    const count = 'stoa_http_request_duration_seconds_count{method="GET",route="/healthz"} 1';
    await vi.waitUntil(async () => (await metrics(url)).includes(count), waiting);
    const text = await metrics(url);
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}/m);
    expect(text).toContain("# TYPE process_cpu_user_seconds_total counter");
  });

  test("a new core's registry starts empty", async () => {
    const first = await startHost();
    await fetch(`${first.url}/healthz`);
    const second = await startHost();
    const text = await (await fetch(`${second.url}/metrics`)).text();
    expect(text).not.toContain('route="/healthz"');
  });
});

describe("/openapi.json", () => {
  test("describes the routes by the schemas that check them", async () => {
    const body = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string", maxLength: 5 } },
    };
    const params = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
    const { url } = await startHost((app) => {
      app.post(
        "/things/:id",
        { config: { auth: "member" }, schema: { body, params, tags: ["things"], summary: "Make one" } },
        async () => ({}),
      );
      app.get("/open", open, async () => ({}));
      app.register(async (scope) => {
        scope.get("/late", { schema: { summary: "From a plugin" } }, async () => ({}));
      });
    });
    const response = await fetch(`${url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const document = (await response.json()) as OpenApi;
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Stoa", version: "1.2.3" });
    const operation = document.paths["/things/{id}"]?.post;
    expect(operation).toMatchObject({
      summary: "Make one",
      security: [{ bearer: [] }],
      requestBody: { content: { "application/json": { schema: body } } },
      parameters: [{ in: "path", name: "id", required: true, schema: { type: "string" } }],
    });
    expect(operation?.responses.default).toMatchObject({
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    });
    expect(document.components.schemas.Error.required).toEqual(["error"]);
    expect(document.paths["/open"]?.get?.security).toEqual([]);
    expect(Object.keys(document.paths).sort()).toEqual([
      "/healthz",
      "/late",
      "/metrics",
      "/open",
      "/readyz",
      "/things/{id}",
    ]);
    expect(Object.keys(document.paths["/open"] ?? {})).toEqual(["get"]);
  });
});
