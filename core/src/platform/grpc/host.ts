import { createServer, type Socket } from "node:net";
import type { DescMethod } from "@bufbuild/protobuf";
import { type ConnectionInjector, Server } from "@grpc/grpc-js";
import { Health } from "@stoa/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@stoa/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as ServerReflectionAlpha } from "@stoa/proto/grpc/reflection/v1alpha/reflection_pb";
import { IncomingCall } from "./call.ts";
import { HealthBoard, healthService } from "./health.ts";
import { listen } from "./listen.ts";
import { streamsRequests, streamsResponses } from "./method.ts";
import { type AddOptions, defaultSettings, type GrpcHostOptions } from "./options.ts";
import { Reception } from "./reception.ts";
import { reflectionService } from "./reflection.ts";
import { serverCredentials } from "./tls.ts";
import type { Service, ServiceImpl } from "./types.ts";

// Far above what one client needs; the host's own limit is the one that answers with a status.
const maxStreamsPerConnection = 10_000;
// For the last statuses to reach their callers once everything has ended.
const lingerMs = 1_000;

export function createGrpcHost<P = undefined>(options: GrpcHostOptions<P>): GrpcHost<P> {
  return new GrpcHost(options);
}

/** Serves gRPC on one port: services, their health, and reflection. */
export class GrpcHost<P> {
  readonly health = new HealthBoard();
  readonly #options: GrpcHostOptions<P>;
  readonly #reception: Reception<P>;
  readonly #server: Server;
  readonly #listener = createServer({ noDelay: true });
  readonly #sockets = new Set<Socket>();
  #injector: ConnectionInjector | undefined;
  #port = 0;
  #drained: Promise<void> | undefined;

  constructor(options: GrpcHostOptions<P>) {
    const { maxMessageLength = 4 * 1024 * 1024, maxConcurrentCalls = 4096, log, telemetry } = options;
    this.#options = options;
    const { authenticate } = options;
    const settings = { ...defaultSettings, ...options.settings };
    this.#reception = new Reception({
      log,
      telemetry,
      authenticate,
      maxMessageLength,
      maxConcurrentCalls,
      settings,
    });
    this.#server = new Server({
      "grpc.max_receive_message_length": maxMessageLength,
      "grpc.max_send_message_length": maxMessageLength,
      "grpc.max_concurrent_streams": maxStreamsPerConnection,
      "grpc.keepalive_time_ms": options.keepaliveTimeMs ?? 30_000,
      "grpc.keepalive_timeout_ms": options.keepaliveTimeoutMs ?? 10_000,
      "grpc.enable_channelz": 0,
      interceptors: [
        ({ path }, wire) => new IncomingCall(wire, path, this.#reception.method(path), this.#reception),
      ],
    });
    acceptUnknownMethods(this.#server);
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

  /** Throws PORT_TAKEN, or CONFIG_INVALID where the address or the certificates cannot be used. */
  async listen(): Promise<void> {
    const { host, port, path, tls, log } = this.#options;
    const injector = this.#server.createConnectionInjector(serverCredentials(tls));
    this.#injector = injector;
    this.#listener.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      injector.injectConnection(socket);
    });
    const settings = { ...defaultSettings, ...this.#options.settings };
    this.#port = await listen(this.#listener, { host, port, path, settings });
    this.#listener.on("error", (error) => log.error({ err: error }, "gRPC could not take a connection"));
    this.health.setAll("SERVING");
  }

  /**
   * Takes no new work, gives calls that are under way `ms` to finish, then cuts what is left. Resolves when
   * every call has ended and every socket is closed.
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
      this.#listener.close(() => resolve());
    });
    this.#injector?.drain(ms + lingerMs);
    await atMost(ms, this.#reception.empty());
    this.#reception.abortAll();
    await atMost(lingerMs, closed);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#injector?.destroy();
    this.#server.forceShutdown();
  }

  #serve(service: Service, handlers: object, options: AddOptions): void {
    const methods = this.#reception.serve(service, handlers, options);
    for (const { path, desc } of methods) this.#server.register(path, nothing, asIs, asIs, kindOf(desc));
    this.health.set(service.typeName, this.health.get("") ?? "NOT_SERVING");
  }
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

/**
 * grpc-js answers a path that nobody serves by itself, in words that help nobody, and offers no hook: an
 * unknown path is given a handler here, so that it arrives as a call like any other and is refused as one.
 */
function acceptUnknownMethods(server: Server): void {
  const name = "_retrieveHandler";
  const retrieve: (path: string) => unknown = Reflect.get(server, name);
  const unknown = { type: "bidi", func: nothing, serialize: asIs, deserialize: asIs };
  Reflect.set(server, name, (path: string) => retrieve.call(server, path) ?? { ...unknown, path });
}

// Messages pass grpc-js as bytes, and its handlers are never reached: an IncomingCall stands before them.
function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function nothing(): void {}

function kindOf(method: DescMethod): string {
  if (streamsRequests(method)) return streamsResponses(method) ? "bidi" : "clientStream";
  return streamsResponses(method) ? "serverStream" : "unary";
}
