import { request } from "node:http";
import { describe, inject, test } from "vitest";
import type { Answer, Call, Methods, ServiceName, ToolName } from "./protocol.ts";

export type { ServiceName, ToolName } from "./protocol.ts";

declare module "vitest" {
  interface ProvidedContext {
    serviceBroker: string;
  }
}

/** A service that is not there and cannot be brought; the reason says what was tried. */
export class ServiceMissing extends Error {
  constructor(service: string, reason: string) {
    super(`${service} is not available: ${reason}`);
    this.name = "ServiceMissing";
  }
}

export interface OwnPostgres {
  readonly url: string;
  /** kill -9 of the server and everything it forked, as a power cut would leave it. */
  kill9(): Promise<void>;
  /** Starts it again on the same port, after kill9 or stop; returns once it accepts connections. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Real services, started on first use by one broker for the whole run and stopped with it. */
export const services = {
  /** A fresh, empty database on the shared PostgreSQL server. */
  postgres: () => call("postgres"),
  /** A PostgreSQL server of the caller's own, fully durable, to kill and to restart. */
  async ownPostgres(): Promise<OwnPostgres> {
    const { id, url } = await call("ownPostgres");
    return {
      url,
      kill9: () => call("killPostgres", id),
      restart: () => call("restartPostgres", id),
      stop: () => call("stopPostgres", id),
    };
  },
  /** The shared nats-server with JetStream; use subjects and streams of your own. */
  nats: () => call("nats"),
  /** A Docker engine of the run's own. */
  docker: () => call("docker"),
  chromium: () => call("chromium"),
  /** A compiler or command; merge `env` over process.env where it is given. */
  tool: (name: ToolName) => call("tool", name),
};

export type Services = typeof services;

/**
 * A describe that needs services. They are brought before its tests are collected. Where one cannot be had the tests
 * are skipped with the reason in the run's summary, and with CI=true a test fails in their place.
 */
export function describeWith(needed: ServiceName[], title: string, body: (services: Services) => void): void {
  describe(title, async () => {
    const missing: string[] = [];
    for (const name of needed) {
      try {
        await call("ensure", name);
      } catch (error) {
        if (!(error instanceof ServiceMissing)) throw error;
        missing.push(error.message);
      }
    }
    if (missing.length === 0) return body(services);
    if (process.env.CI === "true") {
      test(`needs ${needed.join(", ")}`, () => {
        throw new Error(`${missing.join("; ")} (a missing service is a failure with CI=true)`);
      });
    }
    describe.skip(missing.join("; "), () => body(services));
  });
}

function call<M extends keyof Methods>(method: M, ...args: Parameters<Methods[M]>): ReturnType<Methods[M]> {
  const socketPath = inject("serviceBroker");
  if (!socketPath)
    throw new Error("Services exist in the integration and e2e projects only: rename the test file.");
  const body: Call = { method, args };
  const answer = new Promise((resolve, reject) => {
    const req = request({ socketPath, method: "POST", path: "/" }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const answer: Answer = JSON.parse(Buffer.concat(chunks).toString());
        if (answer.kind === "value") resolve(answer.value);
        else if (answer.kind === "missing") reject(new ServiceMissing(answer.service, answer.reason));
        else reject(new Error(answer.message));
      });
    });
    req.on("error", reject);
    req.end(JSON.stringify(body));
  });
  return answer as ReturnType<Methods[M]>;
}
