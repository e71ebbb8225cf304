import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";

/** Headers as HTTP, gRPC metadata and the bus have them once they are plain text. */
export type TextMap = Record<string, string>;

// https://www.w3.org/TR/trace-context/: a later version may append fields, version 00 may not.
const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const maxTraceState = 512;

/** Writes the trace that is under way into `headers`, where there is one; returns the same object. */
export function injectContext(headers: TextMap, from: Context = context.active()): TextMap {
  const spanContext = trace.getSpanContext(from);
  if (spanContext === undefined || !isSpanContextValid(spanContext)) return headers;
  const flags = (spanContext.traceFlags & 0xff).toString(16).padStart(2, "0");
  headers.traceparent = `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
  const state = spanContext.traceState?.serialize();
  if (state) headers.tracestate = state;
  return headers;
}

/** The trace that a sender was in, or undefined where the headers name none that is valid. */
export function extractContext(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Context | undefined {
  const header = headers.traceparent;
  if (typeof header !== "string" || header.length > 256) return undefined;
  const match = traceparent.exec(header.trim());
  if (match === null) return undefined;
  const [, version, traceId, spanId, flags, rest] = match;
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) {
    return undefined;
  }
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  const state = headers.tracestate;
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof state === "string" && state.length <= maxTraceState
      ? { traceState: createTraceState(state) }
      : {}),
  };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : undefined;
}
