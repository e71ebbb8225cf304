import { status } from "@grpc/grpc-js";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Counts the calls of one method. */
export class MethodMeter {
  readonly counts: number[] = new Array(17).fill(0);
  readonly #observe: (seconds: number) => void;

  constructor(observe: (seconds: number) => void) {
    this.#observe = observe;
  }

  record(code: number, startedAt: number): void {
    this.counts[code] = (this.counts[code] ?? 0) + 1;
    this.#observe((performance.now() - startedAt) / 1000);
  }
}

/** The host's metrics. Counting a call is adding to a number; labels are put to it when somebody scrapes. */
export class HostMetrics {
  readonly #meters = new Map<string, MethodMeter>();
  readonly #durations: Histogram<"service" | "method">;

  constructor(registry: Registry, callsUnderWay: () => number) {
    const meters = this.#meters;
    new Counter({
      name: "stoa_grpc_calls_total",
      help: "gRPC calls that ended, by method and status.",
      labelNames: ["service", "method", "code"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [path, { counts }] of meters) {
          counts.forEach((count, code) => {
            if (count > 0) this.inc({ ...labelsOf(path), code: status[code] ?? "UNKNOWN" }, count);
          });
        }
      },
    });
    new Gauge({
      name: "stoa_grpc_calls_under_way",
      help: "gRPC calls and streams that are open.",
      registers: [registry],
      collect() {
        this.set(callsUnderWay());
      },
    });
    this.#durations = new Histogram({
      name: "stoa_grpc_call_duration_seconds",
      help: "Time from a call's headers to its status.",
      labelNames: ["service", "method"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    });
  }

  meter(path: string): MethodMeter {
    let meter = this.#meters.get(path);
    if (meter === undefined) {
      const { service, method } = labelsOf(path);
      const child = this.#durations.labels(service, method);
      meter = new MethodMeter((seconds) => child.observe(seconds));
      this.#meters.set(path, meter);
    }
    return meter;
  }
}

function labelsOf(path: string): { service: string; method: string } {
  const [, service = "", method = ""] = path.split("/");
  return { service, method };
}
