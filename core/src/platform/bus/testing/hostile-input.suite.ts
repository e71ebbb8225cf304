import { describe, expect, test, vi } from "vitest";
import { bytes, collect, failure, type Kit, never, waiting } from "./kit.ts";

export function hostileInputSuite({ setUp }: Kit): void {
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
}
