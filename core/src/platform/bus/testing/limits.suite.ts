import { describe, expect, test, vi } from "vitest";
import { barrier, bytes, collect, count, failure, type Kit, never, text, waiting } from "./kit.ts";

export function limitSuite({ setUp }: Kit): void {
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
}
