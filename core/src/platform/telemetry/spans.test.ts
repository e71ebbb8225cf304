import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { enableContexts } from "./context-manager.ts";
import { endSpan, noopTracer, startSpan, withSpan } from "./spans.ts";
import { createTelemetry } from "./telemetry.ts";

function recording() {
  enableContexts();
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}

test("spans nest through awaits, timers and callbacks without being handed on", async () => {
  const { tracer, spans } = recording();
  const value = await withSpan(tracer, "outer", { kind: "SERVER", attributes: { a: 1 } }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return await withSpan(tracer, "inner", {}, () => 7);
  });
  expect(value).toBe(7);
  const [inner, outer] = spans();
  expect([inner?.name, outer?.name]).toEqual(["inner", "outer"]);
  expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  expect(outer?.attributes).toEqual({ a: 1 });
  expect(trace.getSpan(context.active())).toBeUndefined();
});

test("what runs at the same time does not mix", async () => {
  const { tracer, spans } = recording();
  await Promise.all(
    ["a", "b", "c"].map((name) =>
      withSpan(tracer, name, {}, async () => {
        await Promise.resolve();
        await withSpan(tracer, `${name}.child`, {}, async () => {});
      }),
    ),
  );
  for (const name of ["a", "b", "c"]) {
    const parent = spans().find((span) => span.name === name);
    const child = spans().find((span) => span.name === `${name}.child`);
    expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
  }
});

test("a failure is recorded by its code, and foreign text stays here", async () => {
  const { tracer, spans } = recording();
  const secret = new Error("password=hunter2");
  await expect(withSpan(tracer, "foreign", {}, () => Promise.reject(secret))).rejects.toBe(secret);
  await expect(
    withSpan(tracer, "ours", {}, () => {
      throw new StoaError("NOT_FOUND", "no agent, Bearer abcdefgh12");
    }),
  ).rejects.toThrow("no agent");
  const [foreign, ours] = spans();
  expect(foreign?.status.code).toBe(SpanStatusCode.ERROR);
  expect(foreign?.attributes).toEqual({ "error.type": "INTERNAL" });
  expect(ours?.attributes).toEqual({ "error.type": "NOT_FOUND" });
  expect(JSON.stringify(spans().map(({ status, events }) => ({ status, events })))).not.toMatch(
    /hunter2|abcdefgh12/,
  );
});

test("a span that starts and ends in different places", () => {
  const { tracer, spans } = recording();
  const outer = startSpan(tracer, "outer");
  const inner = startSpan(tracer, "inner", { parent: outer.context });
  endSpan(inner.span, new StoaError("CANCELLED", "gone"));
  endSpan(outer.span);
  expect(spans()[0]?.parentSpanContext?.spanId).toBe(outer.span.spanContext().spanId);
});

test("off: the work runs, the result and the error pass, nothing is recorded", async () => {
  expect(await withSpan(noopTracer, "x", {}, () => 5)).toBe(5);
  await expect(withSpan(noopTracer, "x", {}, () => Promise.reject(new Error("e")))).rejects.toThrow("e");
  const { span } = startSpan(noopTracer, "x");
  expect(span.isRecording()).toBe(false);
  endSpan(span, new Error("e"));
  expect(noopTracer.startActiveSpan("x", (active) => active.isRecording())).toBe(false);
});

test("without a collector telemetry traces nothing", async () => {
  const telemetry = createTelemetry();
  expect([telemetry.tracing, telemetry.tracer]).toEqual([false, noopTracer]);
  await telemetry.flush();
  await telemetry.close();
});
