export * as genai from "./genai.ts";
export { endSpan, noopTracer, type SpanOptions, startSpan, withSpan } from "./spans.ts";
export { createTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";
export { extractContext, injectContext, type TextMap } from "./trace-context.ts";
