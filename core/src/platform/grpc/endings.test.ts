import { once } from "node:events";
import { connect } from "node:http2";
import { InvokeRequestSchema } from "@stoa/proto/capability_pb";
import { expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { collect, deferred, framed, rawCall, startHost } from "./test-host.ts";
import type { CallContext } from "./types.ts";

const forever = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });

/** A host whose calls last until something ends them, and what their signals said when it did. */
async function endless() {
  const started = deferred<CallContext<string>>();
  const reason = deferred<StoaError>();
  const wait = async (ctx: CallContext<string>) => {
    ctx.signal.addEventListener("abort", () => reason.resolve(ctx.signal.reason));
    started.resolve(ctx);
    return forever(ctx.signal);
  };
  const running = await startHost({
    handlers: {
      invoke: (_, ctx) => wait(ctx),
      async *streamInvoke(_, ctx) {
        yield { data: Buffer.from("a") };
        await wait(ctx);
      },
      async uploadInputArtifact(chunks, ctx) {
        started.resolve(ctx);
        ctx.signal.addEventListener("abort", () => reason.resolve(ctx.signal.reason));
        for await (const _ of chunks);
        return {};
      },
    },
  });
  return { ...running, started: started.promise, reason: reason.promise };
}

test("a caller who cancels aborts the handler's signal", async () => {
  const { capability, started, reason } = await endless();
  const controller = new AbortController();
  const call = capability().invoke({}, { signal: controller.signal });
  await started;
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  expect(await reason).toMatchObject({ code: "CANCELLED" });
});

test("a caller who leaves a stream aborts the handler's signal", async () => {
  const { capability, reason } = await endless();
  for await (const _ of capability().streamInvoke({})) break;
  expect(await reason).toMatchObject({ code: "CANCELLED" });
});

test("a caller whose connection breaks aborts the handler's signal", async () => {
  const { host, started, reason } = await endless();
  const session = connect(`http://127.0.0.1:${host.port}`).on("error", () => {});
  const stream = session.request({
    ":method": "POST",
    ":path": "/selu.capability.Capability/Invoke",
    "content-type": "application/grpc",
  });
  stream.on("error", () => {});
  stream.end(framed(InvokeRequestSchema, {}));
  await started;
  session.destroy();
  expect(await reason).toMatchObject({ code: "CANCELLED" });
});

test("a handler that waits for its caller's messages is told that none will come", async () => {
  const { capability, started, reason } = await endless();
  const controller = new AbortController();
  const silentCaller = async function* () {
    await forever(controller.signal).catch(() => {});
    yield {};
  };
  const call = capability().uploadInputArtifact(silentCaller(), { signal: controller.signal });
  await started;
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  expect(await reason).toMatchObject({ code: "CANCELLED" });
});

test("a deadline ends the call, and the handler sees it coming", async () => {
  const { host, started, reason } = await endless();
  const path = "/selu.capability.Capability/Invoke";
  // A caller without a clock of its own: with one, its cancellation may come first.
  const call = rawCall(host.port, path, framed(InvokeRequestSchema, {}), { "grpc-timeout": "50m" });
  expect((await started).deadline).toBeInstanceOf(Date);
  expect(await call).toMatchObject({ status: "4" });
  expect(await reason).toMatchObject({ code: "DEADLINE_EXCEEDED" });
});

test("a deadline ends a call to a server that does not keep time", async () => {
  const { capability } = await endless();
  await expect(capability().invoke({}, { timeoutMs: 50 })).rejects.toMatchObject({
    code: "DEADLINE_EXCEEDED",
  });
});

test("without a deadline there is none, and a signal asked for late is aborted already", async () => {
  let ctx: CallContext<string> | undefined;
  const gone = deferred();
  const { capability } = await startHost({
    handlers: {
      async *streamInvoke(_, context) {
        ctx = context;
        try {
          for (;;) yield { data: new Uint8Array(100_000) };
        } finally {
          gone.resolve();
        }
      },
    },
  });
  for await (const _ of capability().streamInvoke({})) break;
  await gone.promise;
  expect(ctx?.deadline).toBeUndefined();
  expect(ctx?.signal.aborted).toBe(true);
  expect(ctx?.signal.reason).toBeInstanceOf(StoaError);
});

test("a call that ended well aborts nothing", async () => {
  let signal: AbortSignal | undefined;
  const { host, capability } = await startHost({
    handlers: {
      invoke: (_, ctx) => {
        signal = ctx.signal;
        return {};
      },
    },
  });
  await capability().invoke({}, { timeoutMs: 60_000 });
  await host.drain(0);
  expect(signal?.aborted).toBe(false);
});

test("a handler's answer after its call was cancelled disturbs nobody", async () => {
  const entered = deferred();
  const late = deferred();
  const finished = deferred();
  const { capability } = await startHost({
    handlers: {
      async invoke() {
        entered.resolve();
        await late.promise;
        finished.resolve();
        return { error: "late" };
      },
    },
  });
  const client = capability();
  const cancel = new AbortController();
  const call = client.invoke({}, { signal: cancel.signal });
  await entered.promise;
  cancel.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  late.resolve();
  await finished.promise;
  expect(await client.healthcheck({})).toMatchObject({ ready: true });
});

test("an iterator that waits for good is closed when its caller goes", async () => {
  const closed = deferred();
  const waiting: AsyncIterable<{ data: Uint8Array }> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        closed.resolve();
        return { done: true, value: undefined };
      },
    }),
  };
  const { capability } = await startHost({ handlers: { streamInvoke: () => waiting } });
  await expect(collect(capability().streamInvoke({}, { timeoutMs: 50 }))).rejects.toMatchObject({
    code: "DEADLINE_EXCEEDED",
  });
  await closed.promise;
});

test("many clients that vanish leave no call behind", async () => {
  let open = 0;
  const { host } = await startHost({
    handlers: {
      async *streamInvoke(_, { signal }) {
        open += 1;
        try {
          yield { data: Buffer.from("a") };
          await forever(signal);
        } finally {
          open -= 1;
        }
      },
    },
  });
  const sessions = Array.from({ length: 10 }, () =>
    connect(`http://127.0.0.1:${host.port}`).on("error", () => {}),
  );
  const streams = sessions.flatMap((session) =>
    Array.from({ length: 20 }, () => {
      const stream = session.request({
        ":method": "POST",
        ":path": "/selu.capability.Capability/StreamInvoke",
        "content-type": "application/grpc",
      });
      stream.on("error", () => {});
      stream.end(framed(InvokeRequestSchema, {}));
      return stream;
    }),
  );
  await Promise.all(streams.map((stream) => once(stream, "data")));
  expect(open).toBe(200);
  for (const session of sessions) session.destroy();
  await host.drain(60_000);
  expect(open).toBe(0);
});
