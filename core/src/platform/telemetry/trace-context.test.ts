import { ROOT_CONTEXT, TraceFlags, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { extractContext, injectContext } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

test("a context goes through headers and comes out the same", () => {
  const spanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  const headers = injectContext({ other: "x" }, trace.setSpanContext(ROOT_CONTEXT, spanContext));
  expect(headers).toEqual({ other: "x", traceparent: `00-${traceId}-${spanId}-01` });
  const back = extractContext({ ...headers, tracestate: "vendor=1" });
  const found = back && trace.getSpanContext(back);
  expect(found).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
  expect(found?.traceState?.serialize()).toBe("vendor=1");
  expect(injectContext({}, back)).toEqual({ traceparent: headers.traceparent, tracestate: "vendor=1" });
});

test("without a trace nothing is written", () => {
  expect(injectContext({}, ROOT_CONTEXT)).toEqual({});
  expect(injectContext({})).toEqual({});
});

test("a later version may say more, version 00 may not", () => {
  expect(extractContext({ traceparent: `01-${traceId}-${spanId}-01-more` })).toBeDefined();
  expect(extractContext({ traceparent: `00-${traceId}-${spanId}-01-more` })).toBeUndefined();
});

test("flags that are not known do not travel on", () => {
  const context = extractContext({ traceparent: `00-${traceId}-${spanId}-ff` });
  expect(injectContext({}, context).traceparent).toBe(`00-${traceId}-${spanId}-01`);
});

test.each([
  undefined,
  "",
  "garbage",
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-0`,
  `00-${traceId}-${spanId}-01\r\nx`,
  `01-${traceId}-${spanId}-01-${"x".repeat(10_000)}`,
  ["a", "b"],
])("a header that names no trace: %j", (traceparent) => {
  expect(extractContext({ traceparent })).toBeUndefined();
});

test("a hostile tracestate is left out", () => {
  const context = extractContext({
    traceparent: `00-${traceId}-${spanId}-01`,
    tracestate: "x".repeat(100_000),
  });
  expect(context && trace.getSpanContext(context)?.traceState).toBeUndefined();
});
