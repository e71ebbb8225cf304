import { expect, test } from "vitest";
import { collect, deferred, startHost, turns } from "./test-host.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a unary call is answered with a message, or with what one is made of", async () => {
  const { capability } = await startHost();
  const { resultJson, error } = await capability().invoke({ toolName: "x", argsJson: bytes("{}") });
  expect([resultJson, error]).toEqual([bytes("{}"), ""]);
  expect(resultJson.constructor).toBe(Uint8Array);
  expect(await capability().healthcheck({})).toMatchObject({ ready: true });
});

test("a server stream arrives in order, with its end", async () => {
  const { capability } = await startHost();
  const chunks = await collect(capability().streamInvoke({ argsJson: bytes("a") }));
  expect(chunks.map(({ done }) => done)).toEqual([false, false, true]);
});

test("a client stream is read to its end before the answer", async () => {
  const { capability } = await startHost();
  const pieces = async function* () {
    for (let i = 0; i < 50; i++) yield { data: new Uint8Array(100_000) };
  };
  const { capabilityArtifactId } = await capability().uploadInputArtifact(pieces());
  expect(capabilityArtifactId).toBe("5000000 bytes");
});

test("both sides of a conversation take turns", async () => {
  const { runtime } = await startHost();
  const said = [deferred<string>(), deferred<string>()];
  const heard: unknown[] = [];
  const requests = async function* () {
    for (const { promise } of said) yield { message: await promise };
  };
  const answers = runtime().converse(requests());
  said[0]?.resolve("one");
  for await (const { event } of answers) {
    heard.push(event.value);
    said[1]?.resolve("two");
  }
  expect(heard).toMatchObject([{ text: "one" }, { text: "two" }]);
});

test("a conversation that the caller half-closes at once is answered whole", async () => {
  const { runtime } = await startHost();
  const requests = async function* () {
    yield { message: "only" };
  };
  expect(await collect(runtime().converse(requests()))).toHaveLength(1);
});

test("what is empty is carried as well: no bytes, no messages", async () => {
  const { capability, runtime } = await startHost();
  expect(await collect(capability().downloadOutputArtifact({}))).toEqual([]);
  const none = async function* () {};
  expect((await capability().uploadInputArtifact(none())).capabilityArtifactId).toBe("0 bytes");
  expect(await collect(runtime().converse(none()))).toEqual([]);
});

test("a handler is not asked for more than a slow reader takes", async () => {
  let produced = 0;
  const { capability } = await startHost({
    handlers: {
      async *streamInvoke() {
        for (; produced < 500; produced++) yield { data: new Uint8Array(64 * 1024) };
      },
    },
  });
  let consumed = 0;
  let ahead = 0;
  for await (const _ of capability().streamInvoke({})) {
    consumed += 1;
    await turns(5);
    ahead = Math.max(ahead, produced - consumed);
  }
  expect(consumed).toBe(500);
  expect(ahead).toBeLessThan(20);
});

test("a sender is not asked for more than a slow handler takes", async () => {
  let produced = 0;
  let ahead = 0;
  const { capability } = await startHost({
    handlers: {
      async uploadInputArtifact(chunks) {
        let consumed = 0;
        for await (const _ of chunks) {
          consumed += 1;
          await turns(5);
          ahead = Math.max(ahead, produced - consumed);
        }
        return { capabilityArtifactId: `${consumed}` };
      },
    },
  });
  const pieces = async function* () {
    for (; produced < 500; produced++) yield { data: new Uint8Array(64 * 1024) };
  };
  expect((await capability().uploadInputArtifact(pieces())).capabilityArtifactId).toBe("500");
  // grpc-js keeps up to a mebibyte of a call's first messages, to send them again should the connection break.
  expect(ahead).toBeLessThan(40);
});

test("a handler that stops reading early can still answer", async () => {
  const { capability } = await startHost({
    handlers: {
      async uploadInputArtifact(chunks) {
        for await (const _ of chunks) break;
        return { capabilityArtifactId: "enough" };
      },
    },
  });
  const endless = async function* () {
    for (;;) yield { data: new Uint8Array(1000) };
  };
  expect((await capability().uploadInputArtifact(endless())).capabilityArtifactId).toBe("enough");
});
