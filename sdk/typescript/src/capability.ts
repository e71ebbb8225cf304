import { once } from "node:events";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
  status,
} from "@grpc/grpc-js";
import { type InvokeRequest, Capability as SeedCapability } from "@stoa/proto/capability_pb";
import { Capability as FieldCapability } from "@stoa/proto/selu/capability/v1/capability_pb";
import { definitionOf } from "./grpc.ts";
import { callTool, errorText, type ToolHandler } from "./tool-call.ts";

export interface CapabilityOptions {
  readonly tools: Readonly<Record<string, ToolHandler>>;
  /** Where to listen; the core says so in STOA_LISTEN, containers use 0.0.0.0:50051. */
  readonly listen?: string;
  /** Why the capability is not ready, or nothing where it is. */
  readonly notReady?: () => string | undefined;
}

export interface RunningCapability {
  /** Where it listens, with the port that it really got. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Callers take messages of 4 MiB at most; a stream has no reason to come near. */
const chunkBytes = 1024 * 1024;

/** Serves tools as a capability, under both names of the service that callers use. */
export async function serveCapability(options: CapabilityOptions): Promise<RunningCapability> {
  const fromCore = process.env.STOA_LISTEN;
  const address = options.listen ?? fromCore ?? "0.0.0.0:50051";
  const server = new Server({ "grpc.max_receive_message_length": 16 * 1024 * 1024 });
  const handlers = {
    invoke: (call: ServerUnaryCall<InvokeRequest, unknown>, reply: sendUnaryData<unknown>) => {
      void invoke(call, options.tools).then((response) => reply(null, response));
    },
    streamInvoke: (call: ServerWritableStream<InvokeRequest, unknown>) => {
      void streamInvoke(call, options.tools);
    },
    healthcheck: (_call: unknown, reply: sendUnaryData<unknown>) => {
      const reason = options.notReady?.();
      reply(null, { ready: reason === undefined, message: reason ?? "" });
    },
  };
  for (const service of [SeedCapability, FieldCapability]) {
    const definition = definitionOf(service);
    const missing = Object.keys(definition).filter((name) => !(name in handlers));
    server.addService(definition, {
      ...Object.fromEntries(missing.map((name) => [name, unimplemented(name)])),
      ...handlers,
    });
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const stop = () => new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  if (fromCore !== undefined && options.listen === undefined) exitWithCore(stop);
  return { address: address.replace(/:0$/, `:${port}`), stop };
}

async function invoke(call: ServerUnaryCall<InvokeRequest, unknown>, tools: CapabilityOptions["tools"]) {
  try {
    const pieces = await Array.fromAsync(callTool(tools, call.request, signalOf(call)));
    return { resultJson: new TextEncoder().encode(pieces.join("")), error: "" };
  } catch (thrown) {
    return { resultJson: new Uint8Array(), error: errorText(thrown) };
  }
}

/** The chunks' data together is what `invoke` would have answered; the last one says that it is done, or the error. */
async function streamInvoke(
  call: ServerWritableStream<InvokeRequest, unknown>,
  tools: CapabilityOptions["tools"],
): Promise<void> {
  const signal = signalOf(call);
  const last = { data: new Uint8Array(), done: true, error: "" };
  try {
    for await (const piece of callTool(tools, call.request, signal)) {
      const bytes = new TextEncoder().encode(piece);
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const data = bytes.subarray(at, at + chunkBytes);
        // No faster than the caller reads; one that has gone reads nothing more.
        if (!call.write({ data, done: false, error: "" })) await once(call, "drain", { signal });
        if (signal.aborted) return;
      }
    }
  } catch (thrown) {
    if (signal.aborted) return;
    last.error = errorText(thrown);
  }
  call.write(last);
  call.end();
}

function signalOf(call: { on(event: "cancelled", listener: () => void): unknown }): AbortSignal {
  const cancelled = new AbortController();
  call.on("cancelled", () => cancelled.abort());
  return cancelled.signal;
}

/** A method that answers with one message is given a callback; one that streams its answer fails by an event. */
function unimplemented(name: string) {
  const error = { code: status.UNIMPLEMENTED, details: `${name} is not served by this capability` };
  return (call: { emit(event: "error", error: object): void }, reply?: sendUnaryData<unknown>) => {
    if (reply === undefined) call.emit("error", error);
    else reply(error);
  };
}

/** The core keeps our standard input open while it lives; its end means that nobody is left to serve. */
function exitWithCore(stop: () => Promise<void>): void {
  const end = () => void stop().then(() => process.exit(0));
  process.stdin.on("end", end).on("error", end).resume();
  process.once("SIGTERM", end);
  // A terminal's Ctrl-C reaches the whole group; the core decides when we stop.
  process.on("SIGINT", () => {});
}
