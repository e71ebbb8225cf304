import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type BusAddress, openBus } from "#platform/bus";
import { createHttpHost } from "#platform/http";
import { createLogger } from "#platform/log";
import { describeWith } from "../../../../test/services/index.ts";
import { withSpan } from "./spans.ts";
import { createTelemetry } from "./telemetry.ts";

/** A span as OTLP/HTTP JSON writes it. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: ReadonlyArray<{ key: string; value: Record<string, unknown> }>;
}

interface OtlpBody {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly OtlpSpan[] }>;
  }>;
}

const undo: Array<() => unknown> = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** The outside: something that takes spans over a real socket. */
async function startCollector(status = 200) {
  const bodies: OtlpBody[] = [];
  const paths = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    paths.add(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody);
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const spans = () =>
    bodies.flatMap((body) =>
      body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)),
    );
  return { url: `http://127.0.0.1:${port}`, bodies, paths, spans };
}

function attribute(attributes: OtlpSpan["attributes"], key: string): unknown {
  return Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];
}

async function oneTrace(address: BusAddress): Promise<void> {
  const collector = await startCollector();
  const log = createLogger({ level: "silent" });
  const telemetry = createTelemetry({ otlpEndpoint: collector.url, serviceVersion: "9.9.9", log });
  const bus = await openBus(address, { log, telemetry });
  const host = createHttpHost({ log, telemetry });
  undo.push(() => telemetry.close());
  undo.push(() => bus.close());
  undo.push(() => host.close());
  const subject = `trace.${process.pid}.${Date.now()}`;
  await bus.subscribe(`${subject}.*`, async ({ data, reply }) => {
    await withSpan(telemetry.tracer, "work", {}, async () => {});
    await reply?.(data);
  });
  host.app.post("/ask/:id", { config: { auth: "none" } }, async () => {
    const answer = await bus.request(`${subject}.x`, new TextEncoder().encode("hi"), { timeoutMs: 60_000 });
    return { answer: new TextDecoder().decode(answer.data) };
  });
  const { port } = await host.listen({ host: "127.0.0.1", port: 0 });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const response = await fetch(`http://127.0.0.1:${port}/ask/7`, {
    method: "POST",
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, "content-type": "application/json" },
    body: "{}",
  });
  expect(await response.json()).toEqual({ answer: "hi" });
  await vi.waitUntil(
    async () => {
      await telemetry.flush();
      return collector.spans().length >= 4;
    },
    { timeout: 60_000 },
  );

  expect([...collector.paths]).toEqual(["POST /v1/traces application/json"]);
  const resource = collector.bodies[0]?.resourceSpans[0]?.resource.attributes ?? [];
  expect(attribute(resource, "service.name")).toBe("stoa");
  expect(attribute(resource, "service.version")).toBe("9.9.9");

  const spans = collector.spans();
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  const named = (name: string) => spans.find((span) => span.name === name);
  const [http, request, handler, work] = ["POST /ask/:id", "request", `process ${subject}.*`, "work"].map(
    named,
  );
  expect(http?.parentSpanId).toBe("b7ad6b7169203331");
  expect(request?.parentSpanId).toBe(http?.spanId);
  expect(handler?.parentSpanId).toBe(request?.spanId);
  expect(work?.parentSpanId).toBe(handler?.spanId);
  expect([http, request, handler, work].map((span) => span?.kind)).toEqual([2, 3, 2, 1]);
  expect(Number(attribute(http?.attributes ?? [], "http.response.status_code"))).toBe(200);
}

describe("one trace goes from HTTP over the bus to the handler", () => {
  test("in process", () => oneTrace({}));
  describeWith(["nats"], "on NATS", (services) => {
    test("over two hops", async () => oneTrace({ url: (await services.nats()).url }));
  });
});

describe("the collector", () => {
  test("gets what waits when telemetry closes", async () => {
    const collector = await startCollector();
    const telemetry = createTelemetry({ otlpEndpoint: `${collector.url}/` });
    await withSpan(telemetry.tracer, "last", {}, async () => {});
    expect(collector.spans()).toEqual([]);
    await telemetry.close();
    expect(collector.spans().map((span) => span.name)).toEqual(["last"]);
  });

  test("may be given with its full path", async () => {
    const collector = await startCollector();
    const telemetry = createTelemetry({ otlpEndpoint: `${collector.url}/v1/traces` });
    await withSpan(telemetry.tracer, "x", {}, async () => {});
    await telemetry.close();
    expect([...collector.paths]).toEqual(["POST /v1/traces application/json"]);
  });

  test("that refuses or is away is told in the log, and stops nothing", async () => {
    const collector = await startCollector(400);
    const gone = await startCollector();
    await undo.pop()?.();
    for (const { url } of [collector, gone]) {
      const lines: string[] = [];
      const log = createLogger({ format: "json", destination: { write: (line) => void lines.push(line) } });
      const telemetry = createTelemetry({ otlpEndpoint: url, log });
      expect(await withSpan(telemetry.tracer, "x", {}, () => 1)).toBe(1);
      await telemetry.close();
      expect(lines.length).toBeGreaterThan(0);
    }
  });

  test("gets only the share of traces asked for", async () => {
    const collector = await startCollector();
    const telemetry = createTelemetry({ otlpEndpoint: collector.url, sampleRatio: 0 });
    await withSpan(telemetry.tracer, "x", {}, async () => {});
    await telemetry.close();
    expect(collector.spans()).toEqual([]);
  });
});
