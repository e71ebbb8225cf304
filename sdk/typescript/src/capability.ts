import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import { type InvokeRequest, Capability as SeedCapability } from "@stoa/proto/capability_pb";
import { Capability as FieldCapability } from "@stoa/proto/selu/capability/v1/capability_pb";
import { definitionOf } from "./grpc.ts";

export interface ToolContext {
  /** Credentials and other settings, as declared in the manifest. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/** A tool: arguments in, a JSON value out. What it throws becomes the tool's error. */
export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => unknown;

export interface CapabilityOptions {
  readonly tools: Readonly<Record<string, ToolHandler>>;
  /** Where to listen; the core says so in STOA_LISTEN, containers use 0.0.0.0:50051. */
  readonly listen?: string;
  /** Why the capability is not ready, or nothing where it is. */
  readonly notReady?: () => string | undefined;
}

export interface RunningCapability {
  readonly address: string;
  stop(): Promise<void>;
}

/** Serves tools as a capability, under both names of the service that callers use. */
export async function serveCapability(options: CapabilityOptions): Promise<RunningCapability> {
  const fromCore = process.env.STOA_LISTEN;
  const address = options.listen ?? fromCore ?? "0.0.0.0:50051";
  const server = new Server({ "grpc.max_receive_message_length": 16 * 1024 * 1024 });
  const handlers = {
    invoke: (call: ServerUnaryCall<InvokeRequest, unknown>, reply: sendUnaryData<unknown>) => {
      void invoke(call, options.tools).then((response) => reply(null, response));
    },
    healthcheck: (_call: unknown, reply: sendUnaryData<unknown>) => {
      const reason = options.notReady?.();
      reply(null, { ready: reason === undefined, message: reason ?? "" });
    },
  };
  const unimplemented = (name: string) => (_call: unknown, reply?: sendUnaryData<unknown>) =>
    reply?.({ code: status.UNIMPLEMENTED, details: `${name} is not served by this capability` });
  for (const service of [SeedCapability, FieldCapability]) {
    const definition = definitionOf(service);
    const missing = Object.keys(definition).filter((name) => !(name in handlers));
    server.addService(definition, {
      ...Object.fromEntries(missing.map((name) => [name, unimplemented(name)])),
      ...handlers,
    });
  }
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  const stop = () => new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  if (fromCore !== undefined && options.listen === undefined) exitWithCore(stop);
  return { address, stop };
}

async function invoke(call: ServerUnaryCall<InvokeRequest, unknown>, tools: CapabilityOptions["tools"]) {
  const { toolName, argsJson, configJson, sessionId, threadId } = call.request;
  const handler = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
  if (handler === undefined)
    return { resultJson: new Uint8Array(), error: `unknown tool ${JSON.stringify(toolName)}` };
  const cancelled = new AbortController();
  call.on("cancelled", () => cancelled.abort());
  try {
    const context = { config: parse(configJson), sessionId, threadId, signal: cancelled.signal };
    const result = await handler(parse(argsJson), context);
    return { resultJson: new TextEncoder().encode(JSON.stringify(result ?? null)), error: "" };
  } catch (thrown) {
    return { resultJson: new Uint8Array(), error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  return bytes.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
}

/** The core keeps our standard input open while it lives; its end means that nobody is left to serve. */
function exitWithCore(stop: () => Promise<void>): void {
  const end = () => void stop().then(() => process.exit(0));
  process.stdin.on("end", end).on("error", end).resume();
  process.once("SIGTERM", end);
  // A terminal's Ctrl-C reaches the whole group; the core decides when we stop.
  process.on("SIGINT", () => {});
}
