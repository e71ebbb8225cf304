import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { Health } from "@stoa/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@stoa/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as ServerReflectionAlpha } from "@stoa/proto/grpc/reflection/v1alpha/reflection_pb";
import { IncomingCall } from "./call.ts";
import { Connections } from "./connections.ts";
import { HealthBoard, healthService } from "./health.ts";
import { IncomingStream } from "./incoming-stream.ts";
import { listen } from "./listen.ts";
import { type AddOptions, defaultSettings, type GrpcHostOptions, type Settings } from "./options.ts";
import { Reception } from "./reception.ts";
import { reflectionService } from "./reflection.ts";
import { serverTls } from "./tls.ts";
import type { Service, ServiceImpl } from "./types.ts";

const serverOptions = {
  noDelay: true,
  // Far above what one client needs; the host's own limit is the one that answers with a status.
  settings: { maxConcurrentStreams: 10_000 },
  // In megabytes. Node refuses streams beyond it, and its default of 10 is less than thousands of streams need.
  maxSessionMemory: 512,
};
// For the last statuses to reach their callers once everything has ended.
const lingerMs = 1_000;

export function createGrpcHost<P = undefined>(options: GrpcHostOptions<P>): GrpcHost<P> {
  return new GrpcHost(options);
}

/** Serves gRPC on one port: services, their health, and reflection. */
export class GrpcHost<P> {
  readonly health = new HealthBoard();
  readonly #options: GrpcHostOptions<P>;
  readonly #settings: Settings;
  readonly #reception: Reception<P>;
  readonly #connections: Connections;
  readonly #server: ReturnType<typeof createServer | typeof createSecureServer>;
  #port = 0;
  #drained: Promise<void> | undefined;

  /** Throws CONFIG_INVALID where the certificates cannot be used. */
  constructor(options: GrpcHostOptions<P>) {
    this.#options = options;
    this.#settings = { ...defaultSettings, ...options.settings };
    this.#reception = new Reception({
      log: options.log,
      telemetry: options.telemetry,
      authenticate: options.authenticate,
      maxMessageLength: options.maxMessageLength ?? 4 * 1024 * 1024,
      maxConcurrentCalls: options.maxConcurrentCalls ?? 4096,
      settings: this.#settings,
    });
    this.#connections = new Connections({
      timeMs: options.keepaliveTimeMs ?? 30_000,
      timeoutMs: options.keepaliveTimeoutMs ?? 10_000,
    });
    const { tls } = options;
    this.#server =
      tls === undefined
        ? createServer(serverOptions)
        : createSecureServer({ ...serverOptions, ...serverTls(tls) });
    this.#server.on("connection", (socket) => this.#connections.connected(socket));
    this.#server.on("session", (session) => this.#connections.opened(session));
    this.#server.on("stream", (stream, headers) => this.#called(stream, headers));
    // Garbage on a socket ends that connection and concerns nobody else.
    const refused = (error: unknown) => options.log.debug({ err: error }, "a gRPC connection was refused");
    this.#server.on("sessionError", refused);
    this.#server.on("tlsClientError", refused);
    const open: AddOptions = { authenticate: false, limited: false };
    this.#serve(Health, healthService(this.health), open);
    const reflection = reflectionService(() => this.#reception.services.values());
    this.#serve(ServerReflection, reflection, open);
    this.#serve(ServerReflectionAlpha, reflection, open);
  }

  get port(): number {
    return this.#port;
  }

  /** Serves a service; before `listen`, or after it. */
  add<S extends Service>(service: S, implementation: ServiceImpl<S, P>, options: AddOptions = {}): void {
    this.#serve(service, implementation, options);
  }

  /** Throws PORT_TAKEN, or CONFIG_INVALID where there is no such address. */
  async listen(): Promise<void> {
    const { host, port, path, log } = this.#options;
    this.#port = await listen(this.#server, { host, port, path, settings: this.#settings });
    this.#server.on("error", (error) => log.error({ err: error }, "gRPC could not take a connection"));
    this.health.setAll("SERVING");
  }

  /**
   * Takes no new work, gives calls that are under way `ms` to finish, then cuts what is left. Resolves when
   * every call has ended and every connection is closed.
   */
  drain(ms: number): Promise<void> {
    this.#drained ??= this.#drain(ms);
    return this.#drained;
  }

  async #drain(ms: number): Promise<void> {
    this.health.close();
    this.#reception.close();
    // Called back when the last connection is gone, which the goodbye to each of them brings about.
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#connections.close();
    await atMost(ms, this.#reception.empty());
    this.#reception.abortAll();
    await atMost(lingerMs, closed);
    this.#connections.destroy();
    await closed;
  }

  #called(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const refusal = refusalOf(headers);
    if (refusal !== undefined) {
      stream.on("error", nothing);
      stream.respond({ ":status": refusal }, { endStream: true });
      return;
    }
    const incoming = new IncomingStream(stream, headers, this.#reception);
    const method = this.#reception.method(headers[":path"] ?? "");
    this.#reception.accept(new IncomingCall(incoming, method, this.#reception));
  }

  #serve(service: Service, handlers: object, options: AddOptions): void {
    this.#reception.serve(service, handlers, options);
    this.health.set(service.typeName, this.health.get("") ?? "NOT_SERVING");
  }
}

/** The HTTP status for a request that is no gRPC at all. */
function refusalOf(headers: IncomingHttpHeaders): number | undefined {
  if (headers[":method"] !== "POST") return 405;
  return headers["content-type"]?.startsWith("application/grpc") === true ? undefined : 415;
}

/** Waits for a promise, but not longer than this. */
async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

function nothing(): void {}
