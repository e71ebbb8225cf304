// The peer: what one gets from grpc-js alone, with the same messages and handlers that do the same.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  type InvokeChunk,
  InvokeChunkSchema,
  type InvokeRequest,
  InvokeRequestSchema,
  type InvokeResponse,
  InvokeResponseSchema,
} from "@stoa/proto/capability_pb";
import { serveUntilTold } from "./serve.ts";

const requestDeserialize = (bytes: Buffer): InvokeRequest => fromBinary(InvokeRequestSchema, bytes);

const server = new Server();
server.addService(
  {
    invoke: {
      path: "/selu.capability.Capability/Invoke",
      requestStream: false,
      responseStream: false,
      requestSerialize: () => Buffer.alloc(0),
      requestDeserialize,
      responseSerialize: (message: InvokeResponse) => Buffer.from(toBinary(InvokeResponseSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(InvokeResponseSchema, bytes),
    },
    streamInvoke: {
      path: "/selu.capability.Capability/StreamInvoke",
      requestStream: false,
      responseStream: true,
      requestSerialize: () => Buffer.alloc(0),
      requestDeserialize,
      responseSerialize: (message: InvokeChunk) => Buffer.from(toBinary(InvokeChunkSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(InvokeChunkSchema, bytes),
    },
  },
  {
    invoke(call: ServerUnaryCall<InvokeRequest, InvokeResponse>, reply: sendUnaryData<InvokeResponse>) {
      reply(null, create(InvokeResponseSchema, { resultJson: call.request.argsJson }));
    },
    streamInvoke(call: ServerWritableStream<InvokeRequest, InvokeChunk>) {
      for (let i = 1; i <= 20; i++) {
        call.write(create(InvokeChunkSchema, { data: call.request.argsJson, done: i === 20 }));
      }
      call.end();
    },
  },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  serveUntilTold(port);
});
