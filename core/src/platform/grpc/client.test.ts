import { once } from "node:events";
import { createServer } from "node:http2";
import { Metadata } from "@grpc/grpc-js";
import { Capability, InvokeResponseSchema } from "@stoa/proto/capability_pb";
import { describe, expect, onTestFinished, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createGrpcClient } from "./client.ts";
import { collect, deferred, framed, startHost, turns } from "./test-host.ts";

const nowhere = "127.0.0.1:1";

function clientOf(address: string) {
  const client = createGrpcClient(Capability, address, { reconnectBackoffMs: { initial: 20, max: 50 } });
  onTestFinished(() => client.close());
  return client;
}

describe("what is sent along", () => {
  test("metadata of the client and of the call", async () => {
    const { capability } = await startHost({
      handlers: {
        invoke: (_, { metadata }) => ({
          error: JSON.stringify([metadata.get("a"), metadata.get("b"), metadata.get("te")]),
        }),
      },
    });
    const bin = new Metadata();
    bin.set("b", "call");
    const { error } = await capability({ metadata: { a: "client" } }).invoke({}, { metadata: bin });
    expect(JSON.parse(error)).toEqual([["client"], ["call"], []]);
  });

  test("a request id that can be used, or a new one", async () => {
    const { capability } = await startHost({
      handlers: { invoke: (_, { requestId }) => ({ error: requestId }) },
    });
    const ask = async (id: string) =>
      (await capability().invoke({}, { metadata: { "x-request-id": id } })).error;
    expect(await ask("mine-1")).toBe("mine-1");
    expect(await ask("has spaces, and a comma")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await ask("x".repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("what can go wrong", () => {
  test("nobody there", async () => {
    await expect(clientOf(nowhere).healthcheck({})).rejects.toMatchObject({
      code: "UNAVAILABLE",
      details: { grpcStatus: "UNAVAILABLE", method: "/selu.capability.Capability/Healthcheck" },
    });
    await expect(collect(clientOf(nowhere).streamInvoke({}))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("a call that waits for a server gets through when there is one", async () => {
    const { host, address } = await startHost();
    await host.drain(0);
    const client = clientOf(address);
    const call = client.healthcheck({}, { waitForReady: true });
    await expect(client.healthcheck({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await startHost({ port: host.port });
    expect(await call).toMatchObject({ ready: true });
  });

  test("a signal that is aborted already", async () => {
    const { capability } = await startHost();
    const signal = AbortSignal.abort();
    await expect(capability().invoke({}, { signal })).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(collect(capability().streamInvoke({}, { signal }))).rejects.toMatchObject({
      code: "CANCELLED",
    });
  });

  test("a signal with a reason of its own", async () => {
    const { capability } = await startHost({ handlers: { invoke: () => new Promise(() => {}) } });
    const reason = new StoaError("SHUTTING_DOWN", "Enough.");
    await expect(capability().invoke({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const call = capability().invoke({}, { signal: AbortSignal.timeout(20) });
    await expect(call).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  });

  test("a request that is no message of its type", async () => {
    const { capability } = await startHost();
    const request = { argsJson: 17 as unknown as Uint8Array };
    await expect(capability().invoke(request)).rejects.toBeInstanceOf(Error);
  });

  test("messages that cannot be had end the call with what was thrown", async () => {
    const arrived = deferred();
    const aborted = deferred();
    const { capability } = await startHost({
      handlers: {
        async uploadInputArtifact(chunks, { signal }) {
          signal.addEventListener("abort", () => aborted.resolve());
          for await (const _ of chunks) arrived.resolve();
          return {};
        },
      },
    });
    const broken = async function* () {
      yield { data: new Uint8Array(10) };
      await arrived.promise;
      throw new StoaError("NOT_FOUND", "The file is gone.");
    };
    await expect(capability().uploadInputArtifact(broken())).rejects.toThrow("The file is gone.");
    await aborted.promise;
  });

  test("the sender of a stream is closed when the server answers early", async () => {
    const closed = deferred();
    const { capability } = await startHost({
      handlers: {
        uploadInputArtifact: async () => {
          throw new StoaError("NOT_FOUND", "No.");
        },
      },
    });
    const chunks = async function* () {
      try {
        for (;;) {
          yield { data: new Uint8Array(10) };
          await turns(1);
        }
      } finally {
        closed.resolve();
      }
    };
    await expect(capability().uploadInputArtifact(chunks())).rejects.toMatchObject({ code: "NOT_FOUND" });
    await closed.promise;
  });
});

describe("servers of others", () => {
  type Trailers = Record<string, string>;

  async function foreign(body: Buffer, trailers: Trailers) {
    const server = createServer();
    server.on("stream", (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      stream.end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    return clientOf(`127.0.0.1:${port}`);
  }
  const answer = framed(InvokeResponseSchema, {});

  test.each([
    ["13", "PEER_FAILED"],
    ["2", "PEER_FAILED"],
    ["12", "UNKNOWN_METHOD"],
    ["8", "RATE_LIMITED"],
    ["10", "STORE_CONFLICT"],
    ["99", "PEER_FAILED"],
  ])("status %s means %s", async (status, code) => {
    const client = await foreign(Buffer.alloc(0), { "grpc-status": status, "grpc-message": "they say" });
    await expect(client.invoke({})).rejects.toMatchObject({ code, message: "they say" });
  });

  test("a code that contradicts the status is not believed, nor are odd details", async () => {
    const trailers = {
      "grpc-status": "5",
      "stoa-error-code": "UNAUTHENTICATED",
      "stoa-error-details-bin": Buffer.from("[1, 2").toString("base64"),
    };
    const client = await foreign(Buffer.alloc(0), trailers);
    await expect(client.invoke({})).rejects.toMatchObject({
      code: "NOT_FOUND",
      details: { grpcStatus: "NOT_FOUND" },
    });
  });

  test("no answer, two answers, and one that is no message", async () => {
    const ok = { "grpc-status": "0" };
    for (const body of [Buffer.alloc(0), Buffer.concat([answer, answer])]) {
      await expect((await foreign(body, ok)).invoke({})).rejects.toMatchObject({ code: "PEER_FAILED" });
    }
    const rubbish = Buffer.from([0, 0, 0, 0, 2, 255, 255]);
    await expect((await foreign(rubbish, ok)).invoke({})).rejects.toMatchObject({
      code: "MALFORMED_MESSAGE",
    });
  });

  test("an answer larger than the client takes", async () => {
    const client = await foreign(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), { "grpc-status": "0" });
    await expect(client.invoke({})).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});
