import { createRequire } from "node:module";
import { DiagLogLevel, diag, type Tracer } from "@opentelemetry/api";
import type { Logger } from "#platform/log";
import { enableContexts } from "./context-manager.ts";

export interface OtlpOptions {
  /** The collector's base address, as in OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** The share of traces begun here that are kept; one begun elsewhere follows its sender. */
  readonly sampleRatio: number;
  readonly log?: Logger | undefined;
}

export interface Exporter {
  readonly tracer: Tracer;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const exportTimeoutMs = 5_000;

/** Loaded by whoever configures a collector: nobody else pays for the SDK at start. */
export function startExporter(options: OtlpOptions): Exporter {
  const require = createRequire(import.meta.url);
  const { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } =
    require("@opentelemetry/sdk-trace") as typeof import("@opentelemetry/sdk-trace");
  const { OTLPTraceExporter } =
    require("@opentelemetry/exporter-trace-otlp-http") as typeof import("@opentelemetry/exporter-trace-otlp-http");
  const { resourceFromAttributes } =
    require("@opentelemetry/resources") as typeof import("@opentelemetry/resources");

  reportFailures(options.log);
  enableContexts();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": options.serviceName,
      "service.version": options.serviceVersion,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: tracesUrl(options.endpoint),
          timeoutMillis: exportTimeoutMs,
        }),
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const flush = () => provider.forceFlush({ timeoutMillis: exportTimeoutMs });
  return {
    tracer: provider.getTracer(options.serviceName, options.serviceVersion),
    flush,
    // A collector that is away must not keep the core from stopping, nor fail the stop.
    close: () => provider.shutdown().catch((error) => options.log?.warn({ err: error }, "spans were lost")),
  };
}

function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return url.href;
}

function reportFailures(log: Logger | undefined): void {
  if (log === undefined) return;
  const at = (level: "error" | "warn") => (message: string) => log[level]({ from: "otel" }, message);
  const quiet = () => {};
  diag.setLogger(
    { error: at("error"), warn: at("warn"), info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
