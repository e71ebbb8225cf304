import {
  create,
  type DescMessage,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceDefinition,
} from "@grpc/grpc-js";

/** A grpc-js service definition made of a protobuf-es descriptor, so that no second code generator is needed. */
export function definitionOf(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
        responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
        ...codec("request", method.input),
        ...codec("response", method.output),
      },
    ]),
  ) as unknown as ServiceDefinition;
}

function codec(side: "request" | "response", schema: DescMessage) {
  return {
    [`${side}Serialize`]: (message: MessageInitShape<DescMessage>) =>
      Buffer.from(toBinary(schema, create(schema, message))),
    [`${side}Deserialize`]: (bytes: Uint8Array) => fromBinary(schema, bytes),
  };
}

export interface UnaryOptions {
  /** A token or an API key. */
  readonly credential?: string | undefined;
  /** How long to wait for the answer. */
  readonly timeoutMs: number;
}

/** One unary call, as a promise. */
export function callUnary<Input extends DescMessage, Output extends DescMessage>(
  client: Client,
  method: {
    readonly parent: { readonly typeName: string };
    readonly name: string;
    readonly input: Input;
    readonly output: Output;
  },
  request: MessageInitShape<Input>,
  { credential, timeoutMs }: UnaryOptions,
): Promise<MessageShape<Output>> {
  const metadata = new Metadata();
  if (credential !== undefined) metadata.set("authorization", `Bearer ${credential}`);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      (message: MessageShape<Input>) => Buffer.from(toBinary(method.input, message)),
      (bytes) => fromBinary(method.output, bytes),
      create(method.input, request),
      metadata,
      { deadline: Date.now() + timeoutMs },
      (error, response) =>
        error || response === undefined ? reject(error ?? new Error("no response")) : resolve(response),
    );
  });
}

export function connect(address: string, channel: ChannelCredentials = credentials.createInsecure()): Client {
  return new Client(address, channel);
}
