import { Counter, Histogram } from "prom-client";
import type { Telemetry } from "#platform/telemetry";

export interface InvocationMetrics {
  observe(kind: string, outcome: string, latencyMs: number): void;
}

export function createInvocationMetrics({ registry }: Pick<Telemetry, "registry">): InvocationMetrics {
  const total = new Counter({
    name: "stoa_invocations_total",
    help: "Calls of capabilities, by kind of target and outcome.",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "stoa_invocation_duration_seconds",
    help: "How long calls of capabilities took.",
    labelNames: ["kind"],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120],
    registers: [registry],
  });
  return {
    observe(kind, outcome, latencyMs) {
      total.inc({ kind, outcome });
      seconds.observe({ kind }, latencyMs / 1000);
    },
  };
}
