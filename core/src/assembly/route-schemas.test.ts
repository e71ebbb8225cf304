import { afterAll, expect, test } from "vitest";
import { auditRoutes } from "#faces/http/audit";
import { keyRoutes, restRoutes } from "#faces/http/rest";
import { createHttpHost } from "#platform/http";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { mountAgents, mountAtRoot } from "./agent-routes.ts";

const telemetry = createTelemetry();
const host = createHttpHost({ log: createLogger({ level: "silent", format: "json" }), telemetry });

afterAll(async () => {
  await host.close();
  await telemetry.close();
});

// Nothing is asked of the routes, so they need nothing behind them.
const nothing = {} as never;

test("every route's schema compiles, which in a core its first request would be the first to show", async () => {
  const checked: string[] = [];
  host.app.addHook("onRoute", ({ url, schema }) => {
    if (schema?.body || schema?.querystring || schema?.params) checked.push(url);
  });
  restRoutes(host.app, nothing);
  auditRoutes(host.app, { ledger: { verify: nothing } } as never);
  keyRoutes(host.app, nothing);
  mountAgents(host, nothing, () => undefined);
  mountAtRoot(host, nothing, () => undefined);
  await host.compileSchemas();
  expect(checked).toEqual(
    expect.arrayContaining(["/api/v1/keys", "/api/v1/audit/records", "/api/v1/request-agent"]),
  );
});
