import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { StoaError } from "#platform/errors";
import { redactText } from "#platform/log";

export interface SpanOptions {
  readonly kind?: keyof typeof SpanKind;
  /** The context to continue; the active one unless given. */
  readonly parent?: Context | undefined;
  readonly attributes?: Attributes;
}

const noopSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Hands out one span that records nothing, so that tracing that is off costs a comparison. */
export const noopTracer: Tracer = {
  startSpan: () => noopSpan,
  startActiveSpan: (...args: unknown[]) => {
    const fn = args.at(-1) as (span: Span) => never;
    return fn(noopSpan);
  },
};

/** A span for work whose start and end lie in different places; give it to `endSpan`. */
export function startSpan(
  tracer: Tracer,
  name: string,
  options: SpanOptions = {},
): { span: Span; context: Context } {
  const parent = options.parent ?? context.active();
  if (tracer === noopTracer) return { span: noopSpan, context: parent };
  const span = tracer.startSpan(
    name,
    { kind: SpanKind[options.kind ?? "INTERNAL"], attributes: options.attributes ?? {} },
    parent,
  );
  return { span, context: trace.setSpan(parent, span) };
}

/**
 * Ends a span, as failed where something was thrown. Only what a caller would be told is recorded: a
 * foreign error's own text may hold secrets, and spans leave the machine.
 */
export function endSpan(span: Span, thrown?: unknown): void {
  if (thrown !== undefined && span.isRecording()) {
    const error = StoaError.from(thrown);
    span.setAttribute("error.type", error.code);
    span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(error.message) });
  }
  span.end();
}

/** Runs `fn` inside a span: whatever it starts, sends or logs belongs to that span's trace. */
export async function withSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  fn: (span: Span) => Promise<T> | T,
): Promise<T> {
  if (tracer === noopTracer) return fn(noopSpan);
  const started = startSpan(tracer, name, options);
  try {
    const result = await context.with(started.context, fn, undefined, started.span);
    endSpan(started.span);
    return result;
  } catch (thrown) {
    endSpan(started.span, thrown ?? new Error("thrown without a value"));
    throw thrown;
  }
}
