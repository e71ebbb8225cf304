import { type Span, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { InvokeRequestSchema } from "@stoa/proto/capability_pb";
import { expect, onTestFinished, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createTelemetry } from "#platform/telemetry";
import { framed, rawCall, startHost } from "./test-host.ts";

const path = "/selu.capability.Capability/StreamInvoke";
const traceId = "0af7651916cd43dd8448eb211c80319c";

test("calls are counted by method and status, timed, and shown while they last", async () => {
  const telemetry = createTelemetry();
  const { host, capability } = await startHost({
    telemetry,
    handlers: {
      healthcheck: () => {
        throw new StoaError("UNAVAILABLE", "Not now.");
      },
    },
  });
  await capability().invoke({});
  await capability().invoke({});
  await expect(capability().healthcheck({})).rejects.toThrow();
  for (const name of ["made/Up", "by/Callers"]) await rawCall(host.port, `/${name}`, Buffer.alloc(0));
  const text = await telemetry.registry.metrics();
  const labels = (method: string) => `service="selu.capability.Capability",method="${method}"`;
  expect(text).toContain(`stoa_grpc_calls_total{${labels("Invoke")},code="OK"} 2`);
  expect(text).toContain(`stoa_grpc_calls_total{${labels("Healthcheck")},code="UNAVAILABLE"} 1`);
  expect(text).toContain(`stoa_grpc_calls_total{service="unknown",method="unknown",code="UNIMPLEMENTED"} 2`);
  expect(text).toContain("# TYPE stoa_grpc_call_duration_seconds histogram");
  expect(text).toContain(`stoa_grpc_call_duration_seconds_count{${labels("Invoke")}} 2`);
  expect(text).toContain(`stoa_grpc_call_duration_seconds_bucket{le="+Inf",${labels("Invoke")}} 2`);
  expect(text).toContain(`stoa_grpc_call_duration_seconds_bucket{le="60",${labels("Invoke")}} 2`);
  expect(text).toContain("stoa_grpc_calls_under_way 0");
  const inJson = await telemetry.registry.getMetricsAsJSON();
  expect(inJson.find(({ name }) => name === "stoa_grpc_call_duration_seconds")?.values).toContainEqual({
    metricName: "stoa_grpc_call_duration_seconds_count",
    labels: { service: "selu.capability.Capability", method: "Invoke" },
    value: 2,
  });
  expect(text).not.toContain("made");
});

function tracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  onTestFinished(() => provider.shutdown());
  // With a collector in its settings, telemetry carries spans through awaits; nothing is sent to this one.
  const { registry, close } = createTelemetry({ otlpEndpoint: "http://127.0.0.1:9" });
  onTestFinished(close);
  return { exporter, telemetry: { registry, tracer: provider.getTracer("test"), tracing: true } };
}

test("a call continues its caller's trace, and what its handler does belongs to it", async () => {
  const { exporter, telemetry } = tracing();
  const inside: (Span | undefined)[] = [];
  const { host } = await startHost({
    telemetry,
    handlers: {
      async *streamInvoke() {
        inside.push(trace.getActiveSpan());
        yield {};
        await new Promise((resolve) => setImmediate(resolve));
        inside.push(trace.getActiveSpan());
        yield {};
      },
    },
  });
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  await rawCall(host.port, path, framed(InvokeRequestSchema, {}), { traceparent });
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({
    name: "selu.capability.Capability/StreamInvoke",
    parentSpanContext: { spanId: "b7ad6b7169203331" },
    attributes: { "rpc.system": "grpc", "rpc.method": "StreamInvoke" },
  });
  expect(span?.spanContext().traceId).toBe(traceId);
  expect(inside.map((active) => active?.spanContext().spanId)).toEqual([
    span?.spanContext().spanId,
    span?.spanContext().spanId,
  ]);
});

test("a failed call is a failed span, and a traceparent that is none begins a new trace", async () => {
  const { exporter, telemetry } = tracing();
  const { host } = await startHost({
    telemetry,
    handlers: {
      // biome-ignore lint/correctness/useYield: it fails before it could.
      async *streamInvoke() {
        throw new StoaError("TOOL_FAILED", "It broke.");
      },
    },
  });
  await rawCall(host.port, path, framed(InvokeRequestSchema, {}), { traceparent: "00-zz-zz-01" });
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({ status: { code: 2, message: "It broke." }, parentSpanContext: undefined });
});

test("our own client hands the trace on", async () => {
  const { exporter, telemetry } = tracing();
  const { capability } = await startHost({
    telemetry,
    handlers: {
      async invoke() {
        await capability().healthcheck({});
        return {};
      },
    },
  });
  await capability().invoke({});
  const [inner, outer] = exporter.getFinishedSpans();
  expect(inner?.name).toBe("selu.capability.Capability/Healthcheck");
  expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
});
