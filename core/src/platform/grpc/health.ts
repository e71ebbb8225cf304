import {
  type Health,
  HealthCheckResponse_ServingStatus as Serving,
} from "@stoa/proto/grpc/health/v1/health_pb";
import { StoaError } from "#platform/errors";
import type { ServiceImpl } from "./types.ts";

export type ServingStatus = "SERVING" | "NOT_SERVING";

type Listener = () => void;

/** The status of each service and, under the empty name, of the host; those who watch are told of each change. */
export class HealthBoard {
  readonly #statuses = new Map<string, ServingStatus>([["", "NOT_SERVING"]]);
  readonly #listeners = new Set<Listener>();
  #closed = false;

  set(service: string, status: ServingStatus): void {
    if (this.#closed || this.#statuses.get(service) === status) return;
    this.#statuses.set(service, status);
    this.#tell();
  }

  setAll(status: ServingStatus): void {
    if (this.#closed) return;
    for (const service of this.#statuses.keys()) this.#statuses.set(service, status);
    this.#tell();
  }

  /** From now on nothing is served, and nothing changes that. */
  close(): void {
    this.setAll("NOT_SERVING");
    this.#closed = true;
    this.#tell();
  }

  get closed(): boolean {
    return this.#closed;
  }

  get(service: string): ServingStatus | undefined {
    return this.#statuses.get(service);
  }

  all(): ReadonlyMap<string, ServingStatus> {
    return this.#statuses;
  }

  /** Resolves at the next change, or at once when the signal aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export function healthService(board: HealthBoard): ServiceImpl<typeof Health> {
  return {
    check({ service }) {
      const status = board.get(service);
      if (status === undefined) {
        throw new StoaError(
          "NOT_FOUND",
          `No service ${JSON.stringify(service.slice(0, 200))} is served here.`,
        );
      }
      return { status: Serving[status] };
    },
    list() {
      const statuses = [...board.all()].map(([service, status]) => [service, { status: Serving[status] }]);
      return { statuses: Object.fromEntries(statuses) };
    },
    async *watch({ service }, { signal }) {
      let told: Serving | undefined;
      while (!signal.aborted) {
        // Asked for before the status is read: a change in between is not lost.
        const change = board.changed(signal);
        const status = board.get(service);
        const now = status === undefined ? Serving.SERVICE_UNKNOWN : Serving[status];
        if (now !== told) yield { status: now };
        told = now;
        if (board.closed) return;
        await change;
      }
    },
  };
}
