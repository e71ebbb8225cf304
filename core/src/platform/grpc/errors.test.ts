import { gzipSync } from "node:zlib";
import { HealthRequestSchema, InvokeRequestSchema } from "@stoa/proto/capability_pb";
import { describe, expect, test } from "vitest";
import { catalogue, type ErrorCode, StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { frame } from "./frames.ts";
import { collect, framed, rawCall, startHost } from "./test-host.ts";

const invoke = "/selu.capability.Capability/Invoke";
const upload = "/selu.capability.Capability/UploadInputArtifact";
const request = framed(InvokeRequestSchema, { argsJson: Buffer.from("{}") });

async function failing(error: unknown, log = createLogger({ level: "silent" })) {
  const fail = () => {
    throw error;
  };
  return startHost({ log, handlers: { invoke: fail, streamInvoke: fail } });
}

describe("errors of handlers", () => {
  test.each(Object.keys(catalogue) as ErrorCode[])("%s keeps its status, text and details", async (code) => {
    const { capability } = await failing(new StoaError(code, "It is so.", { details: { field: "x", n: 1 } }));
    const error = await capability()
      .invoke({})
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoaError);
    expect(error).toMatchObject({
      code,
      message: "It is so.",
      details: { field: "x", n: 1, grpcStatus: catalogue[code].grpc, method: invoke },
    });
  });

  test("a foreign error is INTERNAL, and what it says stays in the log", async () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => void lines.push(line) }, format: "json" });
    const { host } = await failing(new Error("at /home/of/someone"), log);
    const { status, message, headers } = await rawCall(host.port, invoke, request, {
      "x-request-id": "r-17",
    });
    expect(status).toBe("13");
    expect(message).not.toContain("someone");
    expect(headers["x-request-id"]).toBe("r-17");
    expect(lines.join("")).toContain("someone");
    expect(lines.join("")).toContain("r-17");
  });

  test("a refusal is no news for the log", async () => {
    const lines: string[] = [];
    const log = createLogger({ destination: { write: (line) => void lines.push(line) }, format: "json" });
    const { capability } = await failing(new StoaError("NOT_FOUND", "Nothing here."), log);
    await expect(capability().invoke({})).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(lines).toEqual([]);
  });

  test("a stream that fails after messages delivers them first", async () => {
    const { capability } = await startHost({
      handlers: {
        async *streamInvoke() {
          yield { data: Buffer.from("a") };
          throw new StoaError("TOOL_FAILED", "It broke.");
        },
      },
    });
    const seen: unknown[] = [];
    const read = async () => {
      for await (const chunk of capability().streamInvoke({})) seen.push(chunk);
    };
    await expect(read()).rejects.toMatchObject({ code: "TOOL_FAILED", message: "It broke." });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["half a surrogate pair", "broken \ud800 text"],
    ["line ends, percent signs and every script", "a\r\nb 100 % \u0000 ελληνικά 🏛"],
  ])("a message with %s is carried", async (_, text) => {
    const { capability } = await failing(new StoaError("NOT_FOUND", text));
    await expect(capability().invoke({})).rejects.toThrow(text.toWellFormed());
    await expect(collect(capability().streamInvoke({}))).rejects.toThrow(text.toWellFormed());
  });

  test("a message or details beyond what a trailer holds are cut, the status is not", async () => {
    const details = { list: Array.from({ length: 5000 }, (_, i) => i) };
    const { capability } = await failing(new StoaError("NOT_FOUND", "ελ".repeat(50_000), { details }));
    const error = await capability()
      .invoke({})
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "NOT_FOUND", message: expect.stringMatching(/^ελελ/) });
    expect(error.details).not.toHaveProperty("list");
  });

  test("details that JSON cannot hold cost the details, not the answer", async () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const { capability } = await failing(new StoaError("NOT_FOUND", "Gone.", { details: loop }));
    await expect(capability().invoke({})).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("an answer that is no message of its type is a fault of ours", async () => {
    const { capability } = await startHost({
      handlers: { invoke: () => ({ resultJson: 17 as unknown as Uint8Array }) },
    });
    await expect(capability().invoke({})).rejects.toMatchObject({ code: "INTERNAL" });
  });
});

describe("what callers get wrong", () => {
  test("bytes that are no message", async () => {
    const { host } = await startHost();
    const { status, message } = await rawCall(host.port, invoke, frame(Buffer.from([0xff, 0xff, 0xff])));
    expect(status).toBe("3");
    expect(message).toContain("selu.capability.InvokeRequest");
  });

  test("bytes that are no message, inside a stream", async () => {
    const { host } = await startHost();
    const { status } = await rawCall(host.port, upload, frame(Buffer.from([0xff, 0xff, 0xff])));
    expect(status).toBe("3");
  });

  test("a message cut short, in a call and in a stream", async () => {
    const { host } = await startHost();
    for (const path of [invoke, upload]) {
      expect((await rawCall(host.port, path, request.subarray(0, -1))).status).toBe("3");
      expect((await rawCall(host.port, path, request.subarray(0, 3))).status).toBe("3");
    }
  });

  test("no message, or two, where one is due", async () => {
    const { host } = await startHost();
    expect(await rawCall(host.port, invoke, Buffer.alloc(0))).toMatchObject({ status: "3" });
    expect(await rawCall(host.port, invoke, Buffer.concat([request, request]))).toMatchObject({
      status: "3",
    });
  });

  test("an unknown service is told what is served", async () => {
    const { host } = await startHost();
    const { status, message } = await rawCall(host.port, "/no.such.Service/Do", request);
    expect(status).toBe("12");
    expect(message).toContain("selu.capability.Capability");
    expect(message).toContain("grpc.health.v1.Health");
  });

  test("an unknown method is told its neighbours", async () => {
    const { host } = await startHost();
    const { status, message } = await rawCall(host.port, "/selu.capability.Capability/Invok", request);
    expect(status).toBe("12");
    expect(message).toContain("StreamInvoke");
  });

  test("a path that is no path", async () => {
    const { host } = await startHost();
    for (const path of ["/", "//", `/${"x".repeat(5000)}`, "/__proto__/constructor"]) {
      expect((await rawCall(host.port, path, request)).status).toBe("12");
    }
  });

  test("a message beyond the limit is told limit and setting, before its bytes are read", async () => {
    const { host, capability } = await startHost({ maxMessageLength: 1000 });
    const header = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
    for (const path of [invoke, upload]) {
      const { status, message } = await rawCall(host.port, path, header);
      expect(status).toBe("8");
      expect(message).toMatch(/1000 bytes.*STOA_GRPC_MAX_MESSAGE_LENGTH/);
    }
    const tooMuch = { argsJson: Buffer.alloc(1001) };
    await expect(capability().invoke(tooMuch)).rejects.toMatchObject({
      code: "TOO_LARGE",
      details: { limit: 1000 },
    });
    await expect(capability().invoke({ argsJson: Buffer.alloc(990) })).resolves.toBeDefined();
  });

  test("an answer beyond the limit is told the same", async () => {
    const { capability } = await startHost({
      maxMessageLength: 1000,
      handlers: {
        invoke: () => ({ resultJson: Buffer.alloc(1001) }),
        async *streamInvoke() {
          yield { data: Buffer.alloc(1001) };
        },
      },
    });
    await expect(capability().invoke({})).rejects.toMatchObject({ code: "TOO_LARGE" });
    await expect(collect(capability().streamInvoke({}))).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  test("what is no gRPC gets an HTTP status", async () => {
    const { host } = await startHost();
    expect(await rawCall(host.port, invoke, request, { "content-type": "text/html" })).toMatchObject({
      http: 415,
    });
    expect(await rawCall(host.port, invoke, Buffer.alloc(0), { ":method": "GET" })).toMatchObject({
      http: 405,
    });
  });

  test.each(["30", "S", "-1S", "123456789S", "1.5S", "1x"])("the timeout %j is none", async (timeout) => {
    const { host } = await startHost();
    const { status, message } = await rawCall(host.port, invoke, request, { "grpc-timeout": timeout });
    expect([status, message]).toEqual(["3", expect.stringContaining("grpc-timeout")]);
  });

  test("a timeout longer than any timer is one all the same", async () => {
    const { host } = await startHost();
    expect((await rawCall(host.port, invoke, request, { "grpc-timeout": "99999999H" })).status).toBe("0");
  });
});

describe("compressed requests", () => {
  const packed = (bytes: Buffer) => {
    const framedBytes = frame(bytes);
    framedBytes[0] = 1;
    return framedBytes;
  };
  const message = request.subarray(5);

  test("gzip is understood, in a call and in a stream", async () => {
    const { host } = await startHost();
    const headers = { "grpc-encoding": "gzip" };
    expect((await rawCall(host.port, invoke, packed(gzipSync(message)), headers)).status).toBe("0");
    const chunk = packed(gzipSync(Buffer.alloc(0)));
    const { status, body } = await rawCall(host.port, upload, Buffer.concat([chunk, chunk]), headers);
    expect([status, body.toString()]).toEqual(["0", expect.stringContaining("0 bytes")]);
  });

  test("an encoding that is not known is UNIMPLEMENTED", async () => {
    const { host } = await startHost();
    for (const headers of [{ "grpc-encoding": "snappy" }, {}]) {
      expect((await rawCall(host.port, invoke, packed(message), headers)).status).toBe("12");
    }
  });

  test("a bomb goes off at the limit, and rubbish is called rubbish", async () => {
    const { host } = await startHost();
    const headers = { "grpc-encoding": "gzip" };
    const bomb = packed(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
    for (const path of [invoke, upload]) {
      expect((await rawCall(host.port, path, bomb, headers)).status).toBe("8");
      expect((await rawCall(host.port, path, packed(Buffer.from("rubbish")), headers)).status).toBe("3");
    }
  });
});

test("a request without fields is five zero bytes, and is one", async () => {
  const { host } = await startHost();
  const health = "/selu.capability.Capability/Healthcheck";
  expect((await rawCall(host.port, health, framed(HealthRequestSchema, {}))).status).toBe("0");
});
