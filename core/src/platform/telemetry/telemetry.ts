import type { Tracer } from "@opentelemetry/api";
import { Registry } from "prom-client";
import type { Logger } from "#platform/log";
import { startExporter } from "./otlp.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { noopTracer } from "./spans.ts";

export interface TelemetryOptions {
  /** The OTLP/HTTP collector's base address (OTEL_EXPORTER_OTLP_ENDPOINT). Without one nothing is traced. */
  readonly otlpEndpoint?: string | undefined;
  readonly serviceName?: string | undefined;
  readonly serviceVersion?: string | undefined;
  /** Share of traces begun here that are kept, 0 to 1. */
  readonly sampleRatio?: number | undefined;
  readonly log?: Logger | undefined;
}

export interface Telemetry {
  /** Metrics of this core; a registry of its own, so that two cores in one process do not mix. */
  readonly registry: Registry;
  readonly tracer: Tracer;
  readonly tracing: boolean;
  /** Sends the spans that wait. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const registry = new Registry();
  registerProcessMetrics(registry);
  if (!options.otlpEndpoint) {
    return {
      registry,
      tracer: noopTracer,
      tracing: false,
      flush: async () => {},
      close: async () => registry.clear(),
    };
  }
  const exporter = startExporter({
    endpoint: options.otlpEndpoint,
    serviceName: options.serviceName ?? "stoa",
    serviceVersion: options.serviceVersion ?? "0.0.0",
    sampleRatio: options.sampleRatio ?? 1,
    log: options.log,
  });
  return {
    registry,
    tracer: exporter.tracer,
    tracing: true,
    flush: exporter.flush,
    close: async () => {
      await exporter.close();
      registry.clear();
    },
  };
}
