import { Health, HealthCheckResponse_ServingStatus as Serving } from "@stoa/proto/grpc/health/v1/health_pb";
import { expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "./client.ts";
import { collect, deferred, startHost } from "./test-host.ts";

const ages = 600_000;

test("a call that is under way is answered, and new ones are not taken", async () => {
  const started = deferred();
  const release = deferred();
  const { host, capability } = await startHost({
    handlers: {
      async invoke() {
        started.resolve();
        await release.promise;
        return { error: "done" };
      },
    },
  });
  const client = capability();
  const call = client.invoke({});
  await started.promise;
  const drained = host.drain(ages);
  await expect(client.healthcheck({})).rejects.toMatchObject({
    code: expect.stringMatching(/UNAVAILABLE|SHUTTING_DOWN/),
  });
  await expect(capability().healthcheck({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
  release.resolve();
  expect((await call).error).toBe("done");
  await drained;
});

test("idle connections do not hold it up", async () => {
  const { host, capability } = await startHost();
  await capability().healthcheck({});
  await host.drain(ages);
});

test("a conversation finishes what it is at, and is then told to come again", async () => {
  const asked = deferred();
  const release = deferred();
  const { host, runtime } = await startHost({
    async *conversation(requests) {
      for await (const { message } of requests) {
        asked.resolve();
        await release.promise;
        yield { event: { case: "chunk", value: { text: message } } };
      }
    },
  });
  const silence = deferred();
  onTestFinished(() => silence.resolve());
  const requests = async function* () {
    yield { message: "one" };
    await silence.promise;
  };
  const heard: unknown[] = [];
  const read = async () => {
    for await (const { event } of runtime().converse(requests())) heard.push(event.value);
  };
  const reading = read();
  await asked.promise;
  const drained = host.drain(ages);
  release.resolve();
  await expect(reading).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  expect(heard).toMatchObject([{ text: "one" }]);
  await drained;
});

test("a conversation that waits for its caller does not hold it up", async () => {
  const { host, runtime } = await startHost();
  const silence = deferred();
  onTestFinished(() => silence.resolve());
  const requests = async function* () {
    yield { message: "one" };
    await silence.promise;
  };
  const answers = runtime().converse(requests())[Symbol.asyncIterator]();
  await answers.next();
  const [, next] = await Promise.allSettled([host.drain(ages), answers.next()]);
  expect(next).toMatchObject({ status: "rejected", reason: { code: "SHUTTING_DOWN" } });
});

test("a stream without an end may end itself, or is cut when the time is up", async () => {
  const reasons: unknown[] = [];
  const { host, capability } = await startHost({
    handlers: {
      async *streamInvoke({ toolName }, { signal, draining }) {
        yield { data: Buffer.from("a") };
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve());
          if (toolName === "polite") draining.addEventListener("abort", () => resolve());
        });
        if (signal.aborted) reasons.push(signal.reason);
        yield { data: Buffer.from("b") };
      },
    },
  });
  const started = [deferred(), deferred()];
  const read = async (toolName: string, begun: () => void) => {
    const seen: string[] = [];
    for await (const { data } of capability().streamInvoke({ toolName })) {
      seen.push(Buffer.from(data).toString());
      begun();
    }
    return seen.join("");
  };
  const polite = read("polite", () => started[0]?.resolve());
  const rude = read("rude", () => started[1]?.resolve());
  await Promise.all(started.map(({ promise }) => promise));
  const ended = Promise.allSettled([polite, rude]);
  await host.drain(100);
  expect(await ended).toMatchObject([
    { status: "fulfilled", value: "ab" },
    { status: "rejected", reason: { code: "SHUTTING_DOWN" } },
  ]);
  expect(reasons).toMatchObject([{ code: "SHUTTING_DOWN" }]);
});

test("neither a handler that listens to nobody nor a reader that does not read holds it up", async () => {
  const started = deferred();
  const { host, capability } = await startHost({
    handlers: {
      invoke() {
        started.resolve();
        return new Promise(() => {});
      },
      async *streamInvoke() {
        for (;;) yield { data: new Uint8Array(100_000) };
      },
    },
  });
  const deaf = capability().invoke({});
  const unread = capability().streamInvoke({})[Symbol.asyncIterator]();
  await Promise.all([started.promise, unread.next()]);
  const ended = Promise.allSettled([deaf]);
  await host.drain(50);
  expect(await ended).toMatchObject([{ reason: { code: "SHUTTING_DOWN" } }]);
});

test("watchers of health are told, and then let go", async () => {
  const { host, address } = await startHost();
  const health = createGrpcClient(Health, address);
  onTestFinished(() => health.close());
  const watching = health.watch({ service: "selu.capability.Capability" })[Symbol.asyncIterator]();
  expect((await watching.next()).value).toMatchObject({ status: Serving.SERVING });
  const drained = host.drain(ages);
  expect((await watching.next()).value).toMatchObject({ status: Serving.NOT_SERVING });
  expect(await watching.next()).toMatchObject({ done: true });
  await drained;
});

test("it can be asked for twice, and before anything was opened", async () => {
  const { host, capability } = await startHost();
  await Promise.all([host.drain(ages), host.drain(ages)]);
  await expect(collect(capability().streamInvoke({}))).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
