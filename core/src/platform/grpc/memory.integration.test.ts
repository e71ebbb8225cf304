import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { fileURLToPath } from "node:url";
import { InvokeRequestSchema, UploadInputArtifactChunkSchema } from "@stoa/proto/capability_pb";
import { ConverseRequestSchema } from "@stoa/proto/crawbl/agentruntime/v1/runtime_pb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { framed } from "./test-host.ts";

const mebibyte = 1024 * 1024;
const allowed = 16 * mebibyte;

interface Reading {
  readonly rss: number;
  readonly offered: number;
  readonly taken: number;
}

let child: ChildProcess;
let session: ClientHttp2Session;

beforeEach(async () => {
  child = fork(fileURLToPath(new URL("./memory-host.ts", import.meta.url)));
  const [{ port }] = await once(child, "message");
  session = connect(`http://127.0.0.1:${port}`);
  await once(session, "connect");
});

afterEach(async () => {
  session.destroy();
  const gone = once(child, "exit");
  child.disconnect();
  await gone;
});

async function read(how: "look" | "settle"): Promise<Reading> {
  child.send(how);
  const [reading] = await once(child, "message");
  return reading;
}

/** The reading once the host neither offers nor takes more than before, its garbage collected. */
async function atRest(): Promise<Reading> {
  let before = await read("look");
  for (let calm = 0; calm < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = await read("look");
    calm = now.offered === before.offered && now.taken === before.taken ? calm + 1 : 0;
    before = now;
  }
  return read("settle");
}

function call(path: string): ClientHttp2Stream {
  return session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
}

/** A conversation that had its turn and stays open. */
async function converse(): Promise<ClientHttp2Stream> {
  const stream = call("/crawbl.agentruntime.v1.AgentRuntime/Converse");
  stream.write(framed(ConverseRequestSchema, { message: "hello" }));
  await once(stream, "data");
  return stream;
}

function download(bytes: number, chunk: number): ClientHttp2Stream {
  const stream = call("/selu.capability.Capability/StreamInvoke");
  stream.end(framed(InvokeRequestSchema, { toolName: `${bytes}`, argsJson: new Uint8Array(chunk) }));
  return stream;
}

async function consume(stream: ClientHttp2Stream): Promise<number> {
  let received = 0;
  for await (const chunk of stream) received += chunk.length;
  return received;
}

/** A little of everything that follows, so that the growth of a process in its first moments is not counted. */
async function warmUp(): Promise<void> {
  const streams = await Promise.all(Array.from({ length: 300 }, converse));
  for (const stream of streams) stream.end();
  await Promise.all(streams.map((stream) => once(stream.resume(), "close")));
  for (const chunk of [64 * 1024, mebibyte]) await consume(download(8 * mebibyte, chunk));
}

describe("resident memory of the host", () => {
  test.each([
    ["64 KiB", 64 * 1024],
    ["1 MiB", mebibyte],
  ])(
    "1,000 idle streams and a reader that stops while 1 GiB is offered in chunks of %s",
    async (_, chunk) => {
      await warmUp();
      const before = await atRest();
      const idle = await Promise.all(Array.from({ length: 1000 }, converse));
      const stalled = download(1024 * mebibyte, chunk);
      await once(stalled, "readable");
      stalled.read(1);
      const after = await atRest();
      expect(after.offered).toBeLessThan(8 * mebibyte);
      expect(after.rss - before.rss).toBeLessThan(allowed);
      for (const stream of [...idle, stalled]) stream.close();
    },
  );

  test("a reader that starts again gets all of it, and the memory comes to no more", async () => {
    await warmUp();
    const before = await atRest();
    const stream = download(1024 * mebibyte, mebibyte);
    await once(stream, "readable");
    await atRest();
    const received = await consume(stream);
    expect(received).toBeGreaterThan(1024 * mebibyte);
    expect((await atRest()).rss - before.rss).toBeLessThan(allowed);
  });

  test("a handler that stops reading while 1 GiB is sent", async () => {
    await warmUp();
    const before = await atRest();
    const stream = call("/selu.capability.Capability/UploadInputArtifact");
    const piece = framed(UploadInputArtifactChunkSchema, { data: new Uint8Array(64 * 1024) });
    stream.write(framed(UploadInputArtifactChunkSchema, { data: new Uint8Array(10), filename: "stall" }));
    // Sent as fast as the host lets it: without flow control it would all be gone in a moment.
    let sent = 0;
    const send = () => {
      while (sent < 1024 * mebibyte && stream.write(piece)) sent += piece.length;
    };
    stream.on("drain", send);
    send();
    const after = await atRest();
    expect(after.taken).toBeLessThan(mebibyte);
    expect(sent).toBeLessThan(8 * mebibyte);
    expect(after.rss - before.rss).toBeLessThan(allowed);
    stream.close();
  });
});
