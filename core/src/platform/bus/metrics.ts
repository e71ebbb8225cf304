import { Counter, type Registry } from "prom-client";

export interface BusMetrics {
  readonly published: Counter;
  readonly delivered: Counter;
  readonly dropped: Counter;
  readonly failed: Counter;
}

/** No labels: subjects carry ids, and every id would be a series of its own. */
export function createBusMetrics(registry: Registry): BusMetrics {
  return {
    published: counter(registry, "stoa_bus_published_total", "Messages, requests and answers sent."),
    delivered: counter(registry, "stoa_bus_delivered_total", "Messages given to a handler."),
    dropped: counter(registry, "stoa_bus_dropped_total", "Messages dropped: their subscription was full."),
    failed: counter(registry, "stoa_bus_handler_failures_total", "Messages whose handler threw."),
  };
}

function counter(registry: Registry, name: string, help: string): Counter {
  const known = registry.getSingleMetric(name);
  return known instanceof Counter ? known : new Counter({ name, help, registers: [registry] });
}
