import type { IncomingHttpHeaders } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import { context } from "@opentelemetry/api";
import type { StoaError } from "#platform/errors";
import { endSpan, extractContext, startSpan, type Telemetry } from "#platform/telemetry";

export interface CallSpan {
  run<T>(work: () => T): T;
  end(error: StoaError | undefined): void;
}

/** A span for a call, child of the caller's where its headers name one (W3C traceparent). */
export function startCallSpan(
  { tracer }: Pick<Telemetry, "tracer">,
  desc: DescMethod,
  headers: IncomingHttpHeaders,
): CallSpan {
  const started = startSpan(tracer, `${desc.parent.typeName}/${desc.name}`, {
    kind: "SERVER",
    parent: extractContext(headers),
    attributes: { "rpc.system": "grpc", "rpc.service": desc.parent.typeName, "rpc.method": desc.name },
  });
  return {
    run: (work) => context.with(started.context, work),
    end: (error) => endSpan(started.span, error),
  };
}
