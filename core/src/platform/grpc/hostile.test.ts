import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { InvokeRequestSchema } from "@stoa/proto/capability_pb";
import { expect, onTestFinished, test } from "vitest";
import { deferred, framed, startHost } from "./test-host.ts";

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

test.each([
  ["random bytes", randomBytes(4096)],
  ["HTTP/1", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
  ["a TLS greeting", Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1]), randomBytes(506)])],
  ["random frames after a good beginning", Buffer.concat([preface, emptySettings, randomBytes(4096)])],
  [
    "a frame larger than allowed",
    Buffer.concat([preface, emptySettings, Buffer.from([255, 255, 255, 0, 0, 0, 0, 0, 1])]),
  ],
  [
    "headers that cannot be unpacked",
    Buffer.concat([preface, emptySettings, Buffer.from([0, 0, 4, 1, 5, 0, 0, 0, 1, 255, 255, 255, 255])]),
  ],
])("%s end the connection and nothing else", async (_, bytes) => {
  const { host, capability } = await startHost();
  const socket = await open(host.port);
  const closed = once(socket, "close");
  socket.resume();
  socket.end(bytes);
  await closed;
  expect(await capability().healthcheck({})).toMatchObject({ ready: true });
});

test("half a greeting and a connection that says nothing hold nobody up", async () => {
  const { host, capability } = await startHost();
  const quiet = await open(host.port);
  const half = await open(host.port);
  half.write(preface.subarray(0, 10));
  expect(await capability().healthcheck({})).toMatchObject({ ready: true });
  await host.drain(0);
  await Promise.all([quiet, half].map((socket) => socket.destroyed || once(socket.resume(), "close")));
});

test("a client may ping as often as it likes, without a call", async () => {
  const { host } = await startHost();
  const session = connectHttp2(`http://127.0.0.1:${host.port}`);
  let goodbyes = 0;
  session.on("goaway", () => {
    goodbyes += 1;
  });
  await once(session, "connect");
  for (let i = 0; i < 100; i++) {
    await new Promise<void>((resolve, reject) => {
      session.ping((error) => (error === null ? resolve() : reject(error)));
    });
  }
  expect([goodbyes, session.closed]).toEqual([0, false]);
  session.close();
});

test("a peer that is silent when asked for a sign of life is let go, and its calls with it", async () => {
  const ended = deferred<{ code: string }>();
  const { host } = await startHost({
    keepaliveTimeMs: 20,
    keepaliveTimeoutMs: 20,
    handlers: {
      invoke: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            ended.resolve(signal.reason);
            resolve({});
          });
        }),
    },
  });
  // A client made of bytes, that does not answer a ping.
  const socket = await open(host.port);
  socket.resume();
  const header = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]);
  const headers = Buffer.concat([
    header(":method", "POST"),
    header(":scheme", "http"),
    header(":authority", "localhost"),
    header(":path", "/selu.capability.Capability/Invoke"),
    header("content-type", "application/grpc"),
  ]);
  const http2Frame = (type: number, flags: number, body: Buffer) =>
    Buffer.concat([Buffer.from([0, 0, body.length, type, flags, 0, 0, 0, 1]), body]);
  const call = [http2Frame(1, 4, headers), http2Frame(0, 1, framed(InvokeRequestSchema, {}))];
  socket.write(Buffer.concat([preface, emptySettings, ...call]));
  expect(await ended.promise).toMatchObject({ code: "CANCELLED" });
});
