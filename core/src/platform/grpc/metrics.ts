import { status } from "@grpc/grpc-js";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

type Labels = { readonly service: string; readonly method: string };

/** Upper bounds in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What is known of the calls of one method. To count a call is to add to a few numbers. */
export class MethodMeter {
  readonly labels: Labels;
  readonly byCode: number[] = new Array(17).fill(0);
  /** Calls by the first bound that they stayed within. */
  readonly byBound: number[] = new Array(bounds.length).fill(0);
  calls = 0;
  seconds = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  record(code: number, startedAt: number): void {
    const seconds = (performance.now() - startedAt) / 1000;
    this.byCode[code] = (this.byCode[code] ?? 0) + 1;
    this.calls += 1;
    this.seconds += seconds;
    let bound = 0;
    while (seconds > (bounds[bound] ?? Number.POSITIVE_INFINITY)) bound += 1;
    if (bound < bounds.length) this.byBound[bound] = (this.byBound[bound] ?? 0) + 1;
  }
}

/** The host's metrics. Names and labels are put to the numbers when somebody scrapes. */
export class HostMetrics {
  readonly #meters = new Map<string, MethodMeter>();

  constructor(registry: Registry, callsUnderWay: () => number) {
    const meters = this.#meters;
    new Counter({
      name: "stoa_grpc_calls_total",
      help: "gRPC calls that ended, by method and status.",
      labelNames: ["service", "method", "code"],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, byCode } of meters.values()) {
          byCode.forEach((count, code) => {
            if (count > 0) this.inc({ ...labels, code: status[code] ?? "UNKNOWN" }, count);
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
    registry.registerMetric(new Durations(meters));
  }

  meter(path: string): MethodMeter {
    let meter = this.#meters.get(path);
    if (meter === undefined) {
      const [, service = "", method = ""] = path.split("/");
      meter = new MethodMeter({ service, method });
      this.#meters.set(path, meter);
    }
    return meter;
  }
}

const durations = {
  name: "stoa_grpc_call_duration_seconds",
  help: "Time from a call's headers to its status.",
};

/** A histogram whose observations were made elsewhere: prom-client's own looks up its labels for each of them. */
class Durations extends Histogram {
  readonly #meters: ReadonlyMap<string, MethodMeter>;

  constructor(meters: ReadonlyMap<string, MethodMeter>) {
    super({ ...durations, buckets: bounds, registers: [] });
    this.#meters = meters;
  }

  /** What prom-client's registry asks a histogram for, and its `get` as well. */
  async getForPromString() {
    return { ...durations, type: "histogram", aggregator: "sum", values: this.#values() };
  }

  #values() {
    return [...this.#meters.values()].flatMap((meter) => valuesOf(durations.name, meter));
  }
}

function valuesOf(name: string, { labels: sharedLabels, byBound, calls, seconds }: MethodMeter) {
  let upTo = 0;
  const buckets = bounds.map((le, i) => {
    upTo += byBound[i] ?? 0;
    return { metricName: `${name}_bucket`, sharedLabels, labels: { le: `${le}` }, value: upTo };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, sharedLabels, labels: { le: "+Inf" }, value: calls },
    { metricName: `${name}_sum`, sharedLabels, labels: {}, value: seconds },
    { metricName: `${name}_count`, sharedLabels, labels: {}, value: calls },
  ];
}
