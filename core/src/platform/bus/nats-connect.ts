import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import { messageOf, StoaError } from "#platform/errors";
import { type Logger, redactText } from "#platform/log";
import type { NatsAddress } from "./nats-address.ts";
import { throwIfAborted } from "./requests.ts";

export interface ConnectOptions {
  readonly log: Logger;
  /** How long to go on trying. */
  readonly connectTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const perAttemptMs = 3_000;
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** Tries with growing pauses until the time is over; a refused password is not tried twice. */
export async function connectNats(address: NatsAddress, options: ConnectOptions): Promise<NatsConnection> {
  const nats = await import("@nats-io/transport-node");
  const { log, connectTimeoutMs, signal } = options;
  const started = Date.now();
  const where = address.servers.join(", ");
  for (let attempt = 1; ; attempt++) {
    throwIfAborted(signal);
    const left = connectTimeoutMs - (Date.now() - started);
    try {
      return await nats.connect(connection(address, Math.max(100, Math.min(perAttemptMs, left))));
    } catch (thrown) {
      const reason = redactText(messageOf(thrown));
      const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
      const refused = thrown instanceof nats.AuthorizationError;
      if (refused || Date.now() - started + pause >= connectTimeoutMs) {
        throw unreachable(where, attempt, Date.now() - started, reason, thrown);
      }
      log.warn({ servers: address.servers, attempt, reason }, "bus not reachable yet, trying again");
      await sleep(pause, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    }
  }
}

function connection(address: NatsAddress, timeout: number): ConnectionOptions {
  const { servers, tls, user, pass, token } = address;
  return {
    servers,
    timeout,
    name: "stoa",
    // Once connected it comes back by itself, however long the server is away.
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 20_000,
    noAsyncTraces: true,
    ...(tls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
  };
}

function unreachable(where: string, attempts: number, ms: number, reason: string, cause: unknown): StoaError {
  const times = attempts === 1 ? "once" : `${attempts} times over ${(ms / 1000).toFixed(1)} s`;
  return new StoaError(
    "BUS_UNREACHABLE",
    `The bus at ${where} cannot be reached: tried ${times}, last answer: ${reason}. Check nats.url (NATS_URL) and that the server runs; without it the bus stays in this process.`,
    { details: { servers: where.split(", "), attempts, reason }, cause },
  );
}
