import { describe, expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import type { BusMessage } from "../bus.ts";
import { bytes, failure, type Kit, never, text } from "./kit.ts";

export function requestSuite({ setUp }: Kit): void {
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
}
