import { describe, expect, test, vi } from "vitest";
import type { BusMessage } from "../bus.ts";
import { barrier, bytes, collect, count, failure, type Kit, text, waiting } from "./kit.ts";

export function deliverySuite({ setUp }: Kit): void {
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
}
