import type { DescMethod } from "@bufbuild/protobuf";
import { Channel, type ChannelOptions, Metadata } from "@grpc/grpc-js";
import { StoaError } from "#platform/errors";
import { injectContext } from "#platform/telemetry";
import { pathOf, streamsRequests, streamsResponses } from "./method.ts";
import { OutgoingCall } from "./outgoing-call.ts";
import { type ClientTls, channelCredentials } from "./tls.ts";
import type { CallOptions, Client, Service } from "./types.ts";

export interface GrpcClientOptions {
  readonly tls?: ClientTls | undefined;
  /** Sent with every call. */
  readonly metadata?: Metadata | Readonly<Record<string, string>> | undefined;
  readonly maxMessageLength?: number | undefined;
  /** How long to wait after a failed connection before the next; grows from the first to the second. */
  readonly reconnectBackoffMs?: { readonly initial: number; readonly max: number } | undefined;
  /** Ask a silent connection for a sign of life this often, calls or not. */
  readonly keepaliveTimeMs?: number | undefined;
}

/** A client of one service at `host:port` or `unix:/path`. It connects with its first call. */
export function createGrpcClient<S extends Service>(
  service: S,
  address: string,
  options: GrpcClientOptions = {},
): Client<S> {
  const channel = new Channel(address, channelCredentials(options.tls), channelOptions(options));
  const methods = service.methods.map((method) => [
    method.localName,
    clientMethod(channel, method, options.metadata),
  ]);
  // The types of `Client` begin here: what was just built from the descriptors is what it says.
  return { ...Object.fromEntries(methods), close: () => channel.close() } as Client<S>;
}

function channelOptions(options: GrpcClientOptions): ChannelOptions {
  const { maxMessageLength = 4 * 1024 * 1024, reconnectBackoffMs, keepaliveTimeMs } = options;
  return {
    "grpc.max_receive_message_length": maxMessageLength,
    "grpc.max_send_message_length": maxMessageLength,
    // Nobody else's backoff, proxy or DNS record should decide about a call from here.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_channelz": 0,
    ...(reconnectBackoffMs && {
      "grpc.initial_reconnect_backoff_ms": reconnectBackoffMs.initial,
      "grpc.max_reconnect_backoff_ms": reconnectBackoffMs.max,
    }),
    ...(keepaliveTimeMs && {
      "grpc.keepalive_time_ms": keepaliveTimeMs,
      "grpc.keepalive_permit_without_calls": 1,
    }),
  };
}

function clientMethod(channel: Channel, method: DescMethod, common: CallOptions["metadata"]) {
  return (input: unknown, options: CallOptions = {}): unknown => {
    const { signal, timeoutMs } = options;
    const call = new OutgoingCall(channel, method, {
      signal,
      deadline: timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs,
      metadata: metadataOf(common, options),
    });
    if (streamsRequests(method)) {
      // What goes wrong with sending is what the reader gets.
      void call.send(input as AsyncIterable<unknown>);
    } else {
      try {
        void call.write(input);
        call.halfClose();
      } catch (error) {
        call.cancel(error);
      }
    }
    return streamsResponses(method) ? responsesOf(call) : onlyResponse(call, method);
  };
}

function metadataOf(common: CallOptions["metadata"], options: CallOptions): Metadata {
  const metadata = new Metadata(options.waitForReady === true ? { waitForReady: true } : {});
  for (const given of [common, options.metadata]) {
    if (given instanceof Metadata) metadata.merge(given);
    else if (given !== undefined) setAll(metadata, given);
  }
  setAll(metadata, injectContext({}));
  return metadata;
}

function setAll(metadata: Metadata, values: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(values)) metadata.set(key, value);
}

async function onlyResponse(call: OutgoingCall, method: DescMethod): Promise<unknown> {
  const response = await call.read();
  if (response === undefined) {
    throw new StoaError("PEER_FAILED", `${pathOf(method)} ended well without the response it owes.`);
  }
  // The status comes after the message, and may still be an error.
  if ((await call.read()) !== undefined) {
    const error = new StoaError("PEER_FAILED", `${pathOf(method)} sent a second response where one is due.`);
    call.cancel(error);
    throw error;
  }
  return response;
}

function responsesOf(call: OutgoingCall): AsyncIterableIterator<unknown> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const value = await call.read();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    async return() {
      call.cancel(new StoaError("CANCELLED", "The reader left the stream."));
      return { done: true, value: undefined };
    },
  };
}
