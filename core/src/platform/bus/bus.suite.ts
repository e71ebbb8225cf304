import { afterEach, describe, expect, test, vi } from "vitest";
import { isStoaError, StoaError } from "#platform/errors";
import { createLogger } from "#platform/log";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import type { Bus, BusMessage } from "./bus.ts";
import type { OpenBusOptions } from "./open-bus.ts";

export interface SuiteBus {
  readonly bus: Bus;
  /** A second way in: another connection where there are connections. */
  readonly other: Bus;
}

const waiting = { timeout: 60_000, interval: 5 };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);
const never = { timeoutMs: 2 ** 31 - 1 };

let counter = 0;

/** What every bus promises, whatever carries it. */
export function busSuite(open: (options: OpenBusOptions) => Promise<SuiteBus>): void {
  const undo: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const close of undo.splice(0).reverse()) await close();
  });

  async function setUp(options: Partial<OpenBusOptions> = {}) {
    const lines: string[] = [];
    const log = createLogger({ format: "json", destination: { write: (line) => void lines.push(line) } });
    const telemetry = createTelemetry();
    const buses = await open({ log, telemetry, ...options });
    undo.push(async () => {
      await buses.bus.close();
      await buses.other.close();
      await telemetry.close();
    });
    return { ...buses, telemetry, lines, subject: `suite.${process.pid}.${Date.now()}.${++counter}` };
  }

  /** Both directions have been walked: whatever was sent before has arrived. */
  async function barrier(from: Bus, to: Bus, subject: string): Promise<void> {
    const arrived = Promise.withResolvers<void>();
    const subscription = await to.subscribe(`${subject}.barrier`, () => arrived.resolve());
    await from.publish(`${subject}.barrier`, bytes(""));
    await arrived.promise;
    subscription.unsubscribe();
  }

  async function count(telemetry: Telemetry, name: string): Promise<number> {
    const metric = await telemetry.registry.getSingleMetric(name)?.get();
    return metric?.values[0]?.value ?? 0;
  }

  function collect() {
    const messages: BusMessage[] = [];
    return { messages, handler: (message: BusMessage) => void messages.push(message) };
  }

  async function failure(promise: Promise<unknown>): Promise<StoaError> {
    const thrown = await promise.then(
      () => expect.fail("it did not fail"),
      (error: unknown) => error,
    );
    if (!isStoaError(thrown)) throw thrown;
    return thrown;
  }

  describe("publish and subscribe", () => {
    test("everyone who listens gets the message, with data and headers", async () => {
      const { bus, other, subject } = await setUp();
      const [one, two] = [collect(), collect()];
      await bus.subscribe(subject, one.handler);
      await other.subscribe(subject, two.handler);
      await other.publish(subject, bytes("hello"), { headers: { "X-Kind": " greeting ", unicode: "grüße" } });
      await vi.waitUntil(() => one.messages.length === 1 && two.messages.length === 1, waiting);
      const message = one.messages[0] as BusMessage;
      expect(message.subject).toBe(subject);
      expect(text(message.data)).toBe("hello");
      expect({ ...message.headers }).toEqual({ "x-kind": "greeting", unicode: "grüße" });
      expect(message.reply).toBeUndefined();
    });

    test("any bytes pass, and none", async () => {
      const { bus, other, subject } = await setUp();
      const { messages, handler } = collect();
      await bus.subscribe(subject, handler);
      const all = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 31) & 255);
      const tricky = bytes("\r\nMSG x 1 5\r\nPING\r\n+OK\r\n");
      for (const data of [all, new Uint8Array(0), tricky, Buffer.from(all).subarray(3, 9)]) {
        await other.publish(subject, data);
      }
      await vi.waitUntil(() => messages.length === 4, waiting);
      expect(messages.map((message) => Buffer.from(message.data).toString("base64"))).toEqual(
        [all, new Uint8Array(0), tricky, all.subarray(3, 9)].map((data) =>
          Buffer.from(data).toString("base64"),
        ),
      );
    });

    test("wildcards: * is one token, > the rest", async () => {
      const { bus, other, subject } = await setUp();
      const patterns = [`${subject}.a.*`, `${subject}.>`, `${subject}.*.x`, `${subject}.a.x`];
      const seen = new Map<string, string[]>(patterns.map((pattern) => [pattern, []]));
      for (const pattern of patterns) {
        await bus.subscribe(
          pattern,
          (message) => void seen.get(pattern)?.push(message.subject.slice(subject.length)),
        );
      }
      for (const end of ["", ".a", ".a.x", ".b.x", ".a.y.z", ".a.x.y"])
        await other.publish(subject + end, bytes(""));
      await barrier(other, bus, subject);
      await vi.waitUntil(() => (seen.get(`${subject}.>`)?.length ?? 0) >= 6, waiting);
      expect(Object.fromEntries([...seen].map(([key, value]) => [key.slice(subject.length), value]))).toEqual(
        {
          ".a.*": [".a.x"],
          ".>": [".a", ".a.x", ".b.x", ".a.y.z", ".a.x.y", ".barrier"],
          ".*.x": [".a.x", ".b.x"],
          ".a.x": [".a.x"],
        },
      );
    });

    test("one publisher's messages arrive in order, while handlers take their time", async () => {
      const { bus, other, subject } = await setUp();
      const order: number[] = [];
      await bus.subscribe(subject, async ({ data }) => {
        const number = Number(text(data));
        if (number % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
        order.push(number);
      });
      const numbers = Array.from({ length: 1_000 }, (_, index) => index);
      await Promise.all(numbers.map((number) => other.publish(subject, bytes(String(number)))));
      await vi.waitUntil(() => order.length === numbers.length, waiting);
      expect(order).toEqual(numbers);
    });

    test("handlers run one at a time, or as many as asked for", async () => {
      const { bus, other, subject } = await setUp();
      for (const concurrency of [1, 4]) {
        const gate = Promise.withResolvers<void>();
        const handled: number[] = [];
        let [running, most] = [0, 0];
        const subscription = await bus.subscribe(
          subject,
          async () => {
            most = Math.max(most, ++running);
            await gate.promise;
            handled.push(running--);
          },
          { concurrency },
        );
        for (let sent = 0; sent < 10; sent++) await other.publish(subject, bytes(""));
        await vi.waitUntil(() => running === concurrency, waiting);
        await barrier(other, bus, subject);
        gate.resolve();
        await vi.waitUntil(() => handled.length === 10, waiting);
        expect(most).toBe(concurrency);
        subscription.unsubscribe();
      }
    });

    test("a handler never runs inside publish", async () => {
      const { bus, subject } = await setUp();
      let inside = true;
      const ran = Promise.withResolvers<boolean>();
      await bus.subscribe(subject, () => ran.resolve(inside));
      const sent = bus.publish(subject, bytes(""));
      inside = false;
      await sent;
      expect(await ran.promise).toBe(false);
    });

    test("sender and receivers cannot change each other's bytes", async () => {
      const { bus, subject } = await setUp();
      const got: Uint8Array[] = [];
      for (let index = 0; index < 3; index++) {
        await bus.subscribe(subject, ({ data }) => {
          got.push(data.slice());
          data.fill(0);
        });
      }
      const data = Buffer.from("keep");
      const sent = bus.publish(subject, data);
      data.fill(120);
      await sent;
      await vi.waitUntil(() => got.length === 3, waiting);
      expect(got.map(text)).toEqual(["keep", "keep", "keep"]);
      expect(data.toString()).toBe("xxxx");
    });

    test("a handler that throws is logged, and the next message comes", async () => {
      const { bus, other, subject, lines, telemetry } = await setUp();
      const handled: string[] = [];
      await bus.subscribe(subject, ({ data }) => {
        handled.push(text(data));
        if (text(data) === "sync") throw new Error("thrown in handler");
        if (text(data) === "async") return Promise.reject(new Error("rejected in handler"));
        return undefined;
      });
      for (const word of ["sync", "async", "fine"]) await other.publish(subject, bytes(word));
      await vi.waitUntil(() => handled.length === 3, waiting);
      expect(lines.join()).toContain("thrown in handler");
      expect(lines.join()).toContain("rejected in handler");
      expect(await count(telemetry, "stoa_bus_handler_failures_total")).toBe(2);
    });
  });

  describe("ending a subscription", () => {
    test("after unsubscribe nothing arrives, and what waited is discarded", async () => {
      const { bus, other, subject } = await setUp();
      const gate = Promise.withResolvers<void>();
      let handled = 0;
      const subscription = await bus.subscribe(subject, async () => {
        handled++;
        await gate.promise;
      });
      for (let sent = 0; sent < 5; sent++) await other.publish(subject, bytes(""));
      await barrier(other, bus, subject);
      await vi.waitUntil(() => handled === 1, waiting);
      subscription.unsubscribe();
      subscription.unsubscribe();
      gate.resolve();
      await other.publish(subject, bytes(""));
      await barrier(other, bus, subject);
      expect(handled).toBe(1);
    });

    test("a signal does the same; one already aborted subscribes to nothing", async () => {
      const { bus, other, subject } = await setUp();
      const controller = new AbortController();
      const { messages, handler } = collect();
      await bus.subscribe(subject, handler, { signal: controller.signal });
      await other.publish(subject, bytes(""));
      await vi.waitUntil(() => messages.length === 1, waiting);
      controller.abort();
      await other.publish(subject, bytes(""));
      await barrier(other, bus, subject);
      expect(messages).toHaveLength(1);
      expect((await failure(bus.subscribe(subject, handler, { signal: controller.signal }))).code).toBe(
        "CANCELLED",
      );
    });

    test("drain handles what has arrived", async () => {
      const { bus, other, subject } = await setUp();
      const gate = Promise.withResolvers<void>();
      let handled = 0;
      const subscription = await bus.subscribe(subject, async () => {
        await gate.promise;
        handled++;
      });
      for (let sent = 0; sent < 5; sent++) await other.publish(subject, bytes(""));
      await barrier(other, bus, subject);
      const drained = subscription.drain();
      await other.ping();
      await other.publish(subject, bytes("late"));
      gate.resolve();
      await drained;
      const atDrain = handled;
      await barrier(other, bus, subject);
      expect(atDrain).toBeGreaterThanOrEqual(5);
      expect(handled).toBe(atDrain);
    });
  });

  describe("queues", () => {
    test("exactly one member of a queue gets each message, and every member works", async () => {
      const { bus, other, subject } = await setUp();
      const seen: number[][] = [[], [], []];
      const plain = collect();
      const again = collect();
      for (const [index, member] of [bus, other, bus].entries()) {
        await member.subscribe(subject, ({ data }) => void seen[index]?.push(Number(text(data))), {
          queue: "workers",
        });
      }
      await bus.subscribe(subject, again.handler, { queue: "second" });
      await bus.subscribe(subject, plain.handler);
      const numbers = Array.from({ length: 300 }, (_, index) => index);
      for (const number of numbers) await other.publish(subject, bytes(String(number)));
      await vi.waitUntil(() => seen.flat().length >= 300 && plain.messages.length >= 300, waiting);
      await barrier(other, bus, subject);
      await barrier(other, other, subject);
      expect(seen.flat().sort((a, b) => a - b)).toEqual(numbers);
      expect(plain.messages).toHaveLength(300);
      expect(again.messages).toHaveLength(300);
      for (const share of seen) expect(share.length).toBeGreaterThan(0);
    });

    test("members may use different patterns", async () => {
      const { bus, other, subject } = await setUp();
      const { messages, handler } = collect();
      await bus.subscribe(`${subject}.*`, handler, { queue: "workers" });
      await bus.subscribe(`${subject}.a`, handler, { queue: "workers" });
      for (let sent = 0; sent < 20; sent++) await other.publish(`${subject}.a`, bytes(""));
      await vi.waitUntil(() => messages.length >= 20, waiting);
      await barrier(other, bus, `${subject}.x`);
      expect(messages).toHaveLength(20);
    });

    test("a member that leaves gets no more", async () => {
      const { bus, other, subject } = await setUp();
      const [leaver, stayer] = [collect(), collect()];
      const subscription = await bus.subscribe(subject, leaver.handler, { queue: "workers" });
      await bus.subscribe(subject, stayer.handler, { queue: "workers" });
      subscription.unsubscribe();
      await bus.ping();
      for (let sent = 0; sent < 20; sent++) await other.publish(subject, bytes(""));
      await vi.waitUntil(() => stayer.messages.length === 20, waiting);
      expect(leaver.messages).toHaveLength(0);
    });
  });

  describe("request and reply", () => {
    test("an answer comes back with data and headers", async () => {
      const { bus, other, subject } = await setUp();
      await bus.subscribe(subject, (message) =>
        message.reply?.(bytes(`${text(message.data)}!`), { headers: { seen: message.headers.ask ?? "" } }),
      );
      const answer = await other.request(subject, bytes("ping"), {
        timeoutMs: 60_000,
        headers: { ask: "1" },
      });
      expect(text(answer.data)).toBe("ping!");
      expect(answer.headers.seen).toBe("1");
      expect(answer.subject).toBe(subject);
      expect(answer.reply).toBeUndefined();
    });

    test("many at once find their own answers", async () => {
      const { bus, other, subject } = await setUp();
      const waitingFor: BusMessage[] = [];
      await bus.subscribe(subject, async (message) => {
        waitingFor.push(message);
        if (waitingFor.length === 100) for (const one of waitingFor.reverse()) await one.reply?.(one.data);
      });
      const numbers = Array.from({ length: 100 }, (_, index) => String(index));
      const answers = await Promise.all(
        numbers.map((number) => other.request(subject, bytes(number), never)),
      );
      expect(answers.map(({ data }) => text(data))).toEqual(numbers);
    });

    test("the first answer counts", async () => {
      const { bus, other, subject } = await setUp();
      await bus.subscribe(subject, async ({ reply }) => {
        await reply?.(bytes("first"));
        await reply?.(bytes("second"));
      });
      expect(text((await other.request(subject, bytes(""), never)).data)).toBe("first");
      expect(text((await other.request(subject, bytes(""), never)).data)).toBe("first");
    });

    test("nobody there: said at once", async () => {
      const { other, subject } = await setUp();
      const error = await failure(other.request(subject, bytes(""), never));
      expect(error.code).toBe("UNAVAILABLE");
      expect(error.message).toContain(subject);
      expect(error.details).toEqual({ subject });
    });

    test("no answer in time: DEADLINE_EXCEEDED", async () => {
      const { bus, other, subject } = await setUp();
      await bus.subscribe(subject, () => {});
      const error = await failure(other.request(subject, bytes(""), { timeoutMs: 20 }));
      expect(error.code).toBe("DEADLINE_EXCEEDED");
      expect(error.message).toContain("20 ms");
    });

    test("a timeout that is no time is refused", async () => {
      const { other, subject } = await setUp();
      for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
        expect((await failure(other.request(subject, bytes(""), { timeoutMs }))).code).toBe(
          "INVALID_ARGUMENT",
        );
      }
    });

    test("the caller can abort, before and during", async () => {
      const { bus, other, subject } = await setUp();
      const controller = new AbortController();
      await bus.subscribe(subject, () => controller.abort("changed my mind"));
      const during = await failure(
        other.request(subject, bytes(""), { ...never, signal: controller.signal }),
      );
      expect(during.code).toBe("CANCELLED");
      const before = await failure(
        other.request(subject, bytes(""), { ...never, signal: controller.signal }),
      );
      expect(before.code).toBe("CANCELLED");
      const timeout = AbortSignal.timeout(1);
      const late = await failure(other.request(subject, bytes(""), { ...never, signal: timeout }));
      expect(late.code).toBe("DEADLINE_EXCEEDED");
    });

    test("a handler's error reaches the requester, without what lies beneath", async () => {
      const { bus, other, subject } = await setUp();
      await bus.subscribe(subject, ({ data }) => {
        if (text(data) === "ours")
          throw new StoaError("NOT_FOUND", "no such agent", { details: { id: "a" } });
        throw new TypeError("secret path");
      });
      const ours = await failure(other.request(subject, bytes("ours"), never));
      expect(ours).toMatchObject({ code: "NOT_FOUND", message: "no such agent", details: { id: "a" } });
      const foreign = await failure(other.request(subject, bytes("theirs"), never));
      expect(foreign.code).toBe("INTERNAL");
      expect(foreign.message).not.toContain("secret path");
    });

    test("an error answer that is garbage is still an error", async () => {
      const { bus, other, subject } = await setUp();
      await bus.subscribe(subject, ({ data, reply }) =>
        reply?.(data, { headers: { "stoa-error": "__proto__" } }),
      );
      for (const body of ["{", "null", "[]", `{"message":1,"details":[]}`]) {
        expect((await failure(other.request(subject, bytes(body), never))).code).toBe("INTERNAL");
      }
    });
  });

  describe("limits", () => {
    test("a slow subscription holds so much, drops the newest, and counts", async () => {
      const { bus, other, subject, telemetry, lines } = await setUp();
      const gate = Promise.withResolvers<void>();
      const handled: string[] = [];
      let started = 0;
      await bus.subscribe(
        subject,
        async ({ data }) => {
          started++;
          await gate.promise;
          handled.push(text(data));
        },
        { maxPending: 10 },
      );
      await other.publish(subject, bytes("0"));
      await vi.waitUntil(() => started === 1, waiting);
      for (let sent = 1; sent <= 50; sent++) await other.publish(subject, bytes(String(sent)));
      const dropped = await failure(other.request(subject, bytes(""), never));
      expect(dropped.code).toBe("RATE_LIMITED");
      expect(await count(telemetry, "stoa_bus_dropped_total")).toBe(41);
      expect(lines.filter((line) => line.includes("dropping messages"))).toHaveLength(1);
      gate.resolve();
      await vi.waitUntil(() => handled.length === 11, waiting);
      await other.publish(subject, bytes("after"));
      await vi.waitUntil(() => handled.length === 12, waiting);
      expect(handled).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "after"]);
    });

    test("the bound counts bytes too", async () => {
      const { bus, other, subject, telemetry } = await setUp();
      const gate = Promise.withResolvers<void>();
      let started = 0;
      await bus.subscribe(
        subject,
        async () => {
          started++;
          await gate.promise;
        },
        { maxPendingBytes: 100_000 },
      );
      await other.publish(subject, bytes(""));
      await vi.waitUntil(() => started === 1, waiting);
      for (let sent = 0; sent < 5; sent++) await other.publish(subject, new Uint8Array(40_000));
      await barrier(other, bus, subject);
      expect(await count(telemetry, "stoa_bus_dropped_total")).toBe(3);
      gate.resolve();
    });

    test("a message larger than the bus carries is refused, and the bus goes on", async () => {
      const { bus, other, subject } = await setUp();
      const { messages, handler } = collect();
      await bus.subscribe(subject, handler);
      const limit = other.maxPayload;
      const error = await failure(other.publish(subject, new Uint8Array(limit + 1)));
      expect(error.code).toBe("TOO_LARGE");
      expect(error.details).toEqual({ size: limit + 1, limit });
      expect((await failure(other.request(subject, new Uint8Array(limit + 1), never))).code).toBe(
        "TOO_LARGE",
      );
      const header = { headers: { h: "x" } };
      expect((await failure(other.publish(subject, new Uint8Array(limit), header))).code).toBe("TOO_LARGE");
      await other.publish(subject, new Uint8Array(limit));
      await other.publish(subject, new Uint8Array(limit - 18), header);
      await vi.waitUntil(() => messages.length === 2, waiting);
      expect(messages.map(({ data }) => data.length)).toEqual([limit, limit - 18]);
    });

    test("an answer that is too large becomes an error for both", async () => {
      const { bus, other, subject, lines } = await setUp();
      await bus.subscribe(subject, ({ reply }) => reply?.(new Uint8Array(bus.maxPayload + 1)));
      expect((await failure(other.request(subject, bytes(""), never))).code).toBe("TOO_LARGE");
      await vi.waitUntil(() => lines.join().includes("TOO_LARGE"), waiting);
    });

    test.each(["maxPending", "concurrency", "maxPendingBytes"])(
      "%s must be a number of things",
      async (name) => {
        const { bus, subject } = await setUp();
        for (const value of [0, -1, 1.5, Number.NaN]) {
          const error = await failure(bus.subscribe(subject, () => {}, { [name]: value }));
          expect(error.code).toBe("INVALID_ARGUMENT");
        }
      },
    );
  });

  describe("hostile input", () => {
    test.each([
      "",
      " ",
      "a b",
      "a\tb",
      "a\r\nPUB x 0",
      ".a",
      "a.",
      "a..b",
      "a\u0000b",
      "ü",
      "a.*",
      "a.>",
      ">",
      "a*b",
      "$SYS.REQ",
      "_INBOX.x",
      "_INBOX",
      "x".repeat(256),
      "a.".repeat(40).slice(0, -1),
    ])("nothing is published on %j", async (subject) => {
      const { bus } = await setUp();
      expect((await failure(bus.publish(subject, bytes("")))).code).toBe("INVALID_ARGUMENT");
      expect((await failure(bus.request(subject, bytes(""), never))).code).toBe("INVALID_ARGUMENT");
    });

    test.each(["", " ", "a b", "a..b", ">.a", "a.>.b", "a*", "**", "_INBOX.>", "$SYS.>", "a\nb"])(
      "nothing subscribes to %j",
      async (subject) => {
        const { bus } = await setUp();
        expect((await failure(bus.subscribe(subject, () => {}))).code).toBe("INVALID_ARGUMENT");
      },
    );

    test.each(["", "a b", "a.b", "*", ">", "a\r\nb"])("no queue is called %j", async (queue) => {
      const { bus, subject } = await setUp();
      expect((await failure(bus.subscribe(subject, () => {}, { queue }))).code).toBe("INVALID_ARGUMENT");
    });

    test.each([
      [{ "": "x" }],
      [{ "a b": "x" }],
      [{ "a:b": "x" }],
      [{ "a\r\nb": "x" }],
      [{ a: "x\r\ny: z" }],
      [{ a: "x\u0000" }],
      [{ ü: "x" }],
      [{ ["a".repeat(129)]: "x" }],
      [Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`h${index}`, "x"]))],
    ])("header %j is refused", async (headers) => {
      const { bus, subject } = await setUp();
      expect((await failure(bus.publish(subject, bytes(""), { headers }))).code).toBe("INVALID_ARGUMENT");
    });

    test("header names that mean something to JavaScript are names like others", async () => {
      const { bus, other, subject } = await setUp();
      const { messages, handler } = collect();
      await bus.subscribe(subject, handler);
      await other.publish(subject, bytes(""), { headers: JSON.parse(`{"__proto__":"a","constructor":"b"}`) });
      await vi.waitUntil(() => messages.length === 1, waiting);
      expect(Object.entries(messages[0]?.headers ?? {})).toEqual([
        ["__proto__", "a"],
        ["constructor", "b"],
      ]);
    });

    test("data that is no bytes is refused", async () => {
      const { bus, subject } = await setUp();
      const error = await failure(bus.publish(subject, "text" as unknown as Uint8Array));
      expect(error.code).toBe("INVALID_ARGUMENT");
    });
  });

  describe("close", () => {
    test("lets handlers finish what has arrived, answers included", async () => {
      const { bus, other, subject } = await setUp();
      const gate = Promise.withResolvers<void>();
      let handled = 0;
      await bus.subscribe(subject, async ({ data, reply }) => {
        await gate.promise;
        handled++;
        await reply?.(data);
      });
      for (let sent = 0; sent < 5; sent++) await other.publish(subject, bytes(""));
      const answer = other.request(subject, bytes("asked"), never);
      await barrier(other, bus, subject);
      const closed = bus.close();
      gate.resolve();
      expect(text((await answer).data)).toBe("asked");
      await closed;
      expect(handled).toBe(6);
    });

    test("afterwards everything is refused, and closing again is fine", async () => {
      const { bus, subject } = await setUp();
      await bus.close();
      await bus.close();
      for (const attempt of [
        () => bus.publish(subject, bytes("")),
        () => bus.request(subject, bytes(""), never),
        () => bus.subscribe(subject, () => {}),
        () => bus.ping(),
      ]) {
        expect((await failure(attempt())).code).toBe("SHUTTING_DOWN");
      }
    });

    test("does not wait for ever for a handler that hangs, and says so", async () => {
      const { bus, other, subject, lines } = await setUp({ drainTimeoutMs: 50 });
      const started = Promise.withResolvers<void>();
      await bus.subscribe(subject, () => {
        started.resolve();
        return new Promise(() => {});
      });
      await other.publish(subject, bytes(""));
      await started.promise;
      await bus.close();
      expect(lines.join()).toContain("unfinished");
    });

    test("a request that waits is told", async () => {
      const { bus, subject } = await setUp();
      const started = Promise.withResolvers<void>();
      await bus.subscribe(subject, () => started.resolve());
      const waitingFor = failure(bus.request(subject, bytes(""), never));
      await started.promise;
      await bus.close();
      expect((await waitingFor).code).toBe("SHUTTING_DOWN");
    });
  });

  test("ping says that it is there", async () => {
    const { bus } = await setUp();
    await bus.ping();
  });
}
