import { type Client, credentials, Client as GrpcClient, status } from "@grpc/grpc-js";
import { type InvokeChunk, Capability as SeedCapability } from "@stoa/proto/capability_pb";
import { Capability as FieldCapability } from "@stoa/proto/selu/capability/v1/capability_pb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningCapability, serveCapability } from "./capability.ts";
import { callUnary, definitionOf } from "./grpc.ts";

const left = Promise.withResolvers<string>();
let capability: RunningCapability;
let client: Client;

beforeAll(async () => {
  capability = await serveCapability({
    listen: "127.0.0.1:0",
    tools: {
      add: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
      large: () => "x".repeat(5 * 1024 * 1024),
      nothing: () => undefined,
      fail: () => {
        throw new Error("");
      },
      async *count({ to }) {
        for (let n = 1; n <= Number(to); n++) yield n;
      },
      async *stumble() {
        yield 1;
        throw new Error("lost count");
      },
      async *wait(_args, { signal }) {
        try {
          yield "first";
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          yield "second";
          yield "third";
          left.resolve("asked for more");
        } finally {
          left.resolve("ended");
        }
      },
    },
  });
  client = new GrpcClient(capability.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await capability.stop();
});

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The services differ in name only, as far as streams of results go. */
describe.each([
  ["selu.capability", SeedCapability],
  ["selu.capability.v1", FieldCapability],
] as const)("%s", (_name, service) => {
  function stream(method: "streamInvoke" | "downloadOutputArtifact", request: object) {
    const definition = definitionOf(service)[method];
    if (definition === undefined) throw new TypeError(method);
    return client.makeServerStreamRequest(
      definition.path,
      definition.requestSerialize,
      definition.responseDeserialize,
      request,
    );
  }
  const streamed = async (toolName: string, args: unknown = {}) => {
    const chunks = (await Array.fromAsync(
      stream("streamInvoke", { toolName, argsJson: bytes(args) }),
    )) as InvokeChunk[];
    expect(chunks.map(({ done }) => done)).toEqual(chunks.map((_, at) => at === chunks.length - 1));
    const data = Buffer.concat(chunks.map((chunk) => chunk.data)).toString();
    return { data, chunks: chunks.length, error: chunks.at(-1)?.error };
  };
  const invoked = async (toolName: string, args: unknown = {}) => {
    const { resultJson, error } = await callUnary(
      client,
      service.method.invoke as typeof SeedCapability.method.invoke,
      { toolName, argsJson: bytes(args) },
      { timeoutMs: 20_000 },
    );
    return { data: Buffer.from(resultJson).toString(), error };
  };

  test.each([
    ["add", { a: 1, b: 2 }, '{"sum":3}'],
    ["nothing", {}, "null"],
    ["count", { to: 3 }, "[1,2,3]"],
    ["count", { to: 0 }, "[]"],
  ])("%s %j gives the same result at once and in chunks", async (tool, args, result) => {
    expect(await invoked(tool, args)).toEqual({ data: result, error: "" });
    expect(await streamed(tool, args)).toMatchObject({ data: result, error: "" });
  });

  test("what a generator yields is a chunk of its own", async () => {
    expect(await streamed("count", { to: 3 })).toMatchObject({ chunks: 5 });
  });

  test("a result larger than a message comes in chunks", async () => {
    const { data, chunks } = await streamed("large");
    expect(data).toHaveLength(5 * 1024 * 1024 + 2);
    expect(chunks).toBeGreaterThan(5);
  });

  test("an error ends the stream, and always has a text", async () => {
    expect(await streamed("stumble")).toEqual({ data: "[1", chunks: 2, error: "lost count" });
    expect(await invoked("stumble")).toEqual({ data: "", error: "lost count" });
    expect((await streamed("fail")).error).not.toBe("");
    expect((await invoked("fail")).error).not.toBe("");
    expect(await streamed("toString")).toMatchObject({ chunks: 1, error: 'unknown tool "toString"' });
  });

  test("files are not served, and both directions say so", async () => {
    const download = stream("downloadOutputArtifact", {});
    await expect(Array.fromAsync(download)).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
    const upload = definitionOf(service).uploadInputArtifact;
    if (upload === undefined) throw new TypeError("uploadInputArtifact");
    const answered = Promise.withResolvers<number | undefined>();
    const call = client.makeClientStreamRequest(
      upload.path,
      upload.requestSerialize,
      upload.responseDeserialize,
      (error) => answered.resolve(error?.code),
    );
    call.end();
    expect(await answered.promise).toBe(status.UNIMPLEMENTED);
  });
});

test("a caller who leaves ends the generator", async () => {
  const definition = definitionOf(SeedCapability).streamInvoke;
  if (definition === undefined) throw new TypeError("streamInvoke");
  const { path, requestSerialize, responseDeserialize } = definition;
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {
    toolName: "wait",
  });
  call.on("error", () => {});
  call.once("data", () => call.cancel());
  expect(await left.promise).toBe("ended");
});
