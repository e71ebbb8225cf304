import { readdir } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

type Reading = () => number | Promise<number>;

/**
 * The process's own metrics, under the names that dashboards for Node know. Each is read when somebody
 * scrapes, so that nothing runs, and nothing has to be stopped, in between.
 */
export function registerProcessMetrics(registry: Registry): void {
  let utilizationBefore = performance.eventLoopUtilization();
  const readings: Record<string, readonly [help: string, read: Reading]> = {
    process_cpu_user_seconds_total: ["User CPU time.", () => process.cpuUsage().user / 1e6],
    process_cpu_system_seconds_total: ["System CPU time.", () => process.cpuUsage().system / 1e6],
    process_start_time_seconds: [
      "Start of the process since the epoch.",
      () => Math.round(performance.timeOrigin / 1000),
    ],
    process_resident_memory_bytes: ["Resident memory.", () => process.memoryUsage.rss()],
    process_open_fds: ["Open file descriptors.", openFiles],
    nodejs_heap_size_total_bytes: ["Heap reserved.", () => process.memoryUsage().heapTotal],
    nodejs_heap_size_used_bytes: ["Heap in use.", () => process.memoryUsage().heapUsed],
    nodejs_external_memory_bytes: ["Memory outside the heap.", () => process.memoryUsage().external],
    nodejs_active_resources: [
      "Handles and requests that keep the event loop alive.",
      () => process.getActiveResourcesInfo().length,
    ],
    nodejs_eventloop_utilization: [
      "Share of time the event loop was busy since the last scrape.",
      () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, utilizationBefore);
        utilizationBefore = now;
        return utilization;
      },
    ],
    nodejs_eventloop_lag_seconds: ["How long one turn of the event loop took, now.", eventLoopLag],
  };
  for (const [name, [help, read]] of Object.entries(readings)) {
    if (name.endsWith("_total")) {
      new Counter({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await read();
          this.reset();
          this.inc(value);
        },
      });
    } else {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    }
  }
  const info = new Gauge({
    name: "nodejs_version_info",
    help: "Node's version.",
    labelNames: ["version"],
    registers: [registry],
  });
  info.set({ version: process.version }, 1);
}

// Only Linux tells cheaply; elsewhere the number is not known, and NaN is how Prometheus says so.
async function openFiles(): Promise<number> {
  const open = await readdir("/proc/self/fd").catch(() => undefined);
  return open === undefined ? Number.NaN : open.length;
}

async function eventLoopLag(): Promise<number> {
  const start = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  return (performance.now() - start) / 1000;
}
