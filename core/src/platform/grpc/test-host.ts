// What the tests of this folder share: a host with a service of every kind, and a client that may send anything.
import { once } from "node:events";
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Capability } from "@stoa/proto/capability_pb";
import { AgentRuntime } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { onTestFinished } from "vitest";
import { createLogger } from "#platform/log";
import { createGrpcClient, type GrpcClientOptions } from "./client.ts";
import { frame } from "./frames.ts";
import { createGrpcHost, type GrpcHost } from "./host.ts";
import type { AddOptions, GrpcHostOptions } from "./options.ts";
import type { ServiceImpl } from "./types.ts";

export const silent = createLogger({ level: "silent" });

export type Capabilities = ServiceImpl<typeof Capability, string>;
export type Runtime = ServiceImpl<typeof AgentRuntime, string>;

/** Answers with what it is given; a test replaces what it is about. */
export const echo: Capabilities = {
  invoke: async ({ argsJson }) => ({ resultJson: argsJson }),
  async *streamInvoke({ argsJson }) {
    for (let i = 1; i <= 3; i++) yield { data: argsJson, done: i === 3 };
  },
  healthcheck: () => ({ ready: true }),
  async uploadInputArtifact(chunks) {
    let size = 0;
    for await (const { data } of chunks) size += data.length;
    return { capabilityArtifactId: `${size} bytes` };
  },
  async *downloadOutputArtifact() {},
};

const converse: Runtime = {
  async *converse(requests) {
    for await (const { message } of requests) yield { event: { case: "chunk", value: { text: message } } };
  },
};

export interface TestHost {
  readonly host: GrpcHost<string>;
  readonly address: string;
  capability(options?: GrpcClientOptions): ReturnType<typeof createGrpcClient<typeof Capability>>;
  runtime(options?: GrpcClientOptions): ReturnType<typeof createGrpcClient<typeof AgentRuntime>>;
}

export interface TestHostOptions extends Partial<GrpcHostOptions<string>> {
  readonly handlers?: Partial<Capabilities>;
  readonly conversation?: Runtime["converse"];
  readonly add?: AddOptions;
}

/** A host on a port of its own; it and its clients are closed when the test is over. */
export async function startHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { handlers, conversation, add, ...rest } = options;
  const host = createGrpcHost<string>({ host: "127.0.0.1", port: 0, log: silent, ...rest });
  host.add(Capability, { ...echo, ...handlers }, add);
  host.add(AgentRuntime, { converse: conversation ?? converse.converse });
  await host.listen();
  onTestFinished(() => host.drain(0));
  const address = rest.path === undefined ? `127.0.0.1:${host.port}` : `unix:${rest.path}`;
  const closing = <C extends { close(): void }>(client: C): C => {
    onTestFinished(() => client.close());
    return client;
  };
  return {
    host,
    address,
    capability: (clientOptions) => closing(createGrpcClient(Capability, address, clientOptions)),
    runtime: (clientOptions) => closing(createGrpcClient(AgentRuntime, address, clientOptions)),
  };
}

export function framed<S extends DescMessage>(schema: S, init: MessageInitShape<S>): Buffer {
  return frame(toBinary(schema, create(schema, init)));
}

export interface RawAnswer {
  readonly http: number;
  readonly status: string | undefined;
  readonly message: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends these bytes as the body of a call, whatever they are. */
export async function rawCall(
  port: number,
  path: string,
  body: Buffer,
  headers: OutgoingHttpHeaders = {},
): Promise<RawAnswer> {
  const session = connect(`http://127.0.0.1:${port}`);
  await once(session, "connect");
  try {
    const defaults = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
    const stream = session.request(
      { ...defaults, ":path": path, ...headers },
      { endStream: body.length === 0 },
    );
    let answered: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("response", (sent) => {
      answered = { ...answered, ...sent };
    });
    stream.on("trailers", (sent) => {
      answered = { ...answered, ...sent };
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    if (body.length > 0) stream.end(body);
    await once(stream, "close");
    const status = answered["grpc-status"];
    return {
      http: Number(answered[":status"]),
      status: typeof status === "string" ? status : undefined,
      message: decodeURI(String(answered["grpc-message"] ?? "")),
      headers: answered,
      body: Buffer.concat(chunks),
    };
  } finally {
    session.close();
  }
}

/** A promise and the way to keep it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, resolve };
}

/** Lets everything that is ready to happen in this process happen. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}
