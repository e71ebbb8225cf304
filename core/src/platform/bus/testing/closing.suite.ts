import { describe, expect, test } from "vitest";
import { barrier, bytes, failure, type Kit, never, text } from "./kit.ts";

export function closingSuite({ setUp }: Kit): void {
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
}
