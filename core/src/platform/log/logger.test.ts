import { describe, expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { createLogger, type LoggerOptions } from "./logger.ts";

function capture(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const log = createLogger({
    format: "json",
    level: "trace",
    ...options,
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "null") as Record<string, unknown> };
}

const secret = "hunter2hunter2";
const mac = "86cecebc78d145045b412744e04f253277a9cf15b9539729b53553e8f6567129";

describe("no secret passes", () => {
  test.each<[string, (log: ReturnType<typeof createLogger>) => void]>([
    ["a field", (log) => log.info({ authorization: secret }, "m")],
    ["a deep field", (log) => log.info({ a: { b: [{ c: { config_json: { k: secret } } }] } }, "m")],
    ["headers", (log) => log.info({ headers: { "x-payment": secret, cookie: secret } }, "m")],
    ["a message", (log) => log.info(`Bearer ${secret}`)],
    ["an interpolated message", (log) => log.info("got %s and %j", `Bearer ${secret}`, { token: secret })],
    ["a URL", (log) => log.warn({ url: `postgres://u:${secret}@h/d` }, `nats://u:${secret}@h`)],
    [
      "child bindings",
      (log) =>
        log
          .child({ token: secret })
          .child({ x: { password: secret } })
          .info("m"),
    ],
    ["an error", (log) => log.error(new Error(`Bearer ${secret}`))],
    ["a cause", (log) => log.error({ err: new Error("a", { cause: new Error(`password=${secret}`) }) }, "m")],
    [
      "an error's details",
      (log) => log.error(new StoaError("INTERNAL", "m", { details: { apiKey: secret } })),
    ],
    ["an aggregate", (log) => log.error({ err: new AggregateError([new Error(`token=${secret}`)], "m") })],
    ["a body kept as text", (log) => log.info({ body: JSON.stringify({ password: secret }) }, "m")],
    [
      "a circular value",
      (log) => {
        const circle: Record<string, unknown> = { token: secret };
        circle.self = circle;
        log.info({ circle }, "m");
      },
    ],
    ["a key", (log) => log.info({ [`Bearer ${secret}`]: 1 }, "m")],
  ])("%s", (_, write) => {
    for (const format of ["json", "pretty"] as const) {
      const { log, lines } = capture({ format });
      write(log);
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain(secret);
      expect(lines[0]).toContain("[redacted]");
    }
  });

  test("HMAC tokens and API keys in any text", () => {
    const { log, lines } = capture();
    log.info(`dXNlcjp3czox.${mac} and stoa_0123456789_0123456789abcdef0123456789abcdef`);
    expect(lines[0]).not.toContain(mac);
    expect(lines[0]).not.toContain("0123456789abcdef");
  });
});

describe("lines", () => {
  test("are one JSON object each, with level, time and message", () => {
    const { log, lines, last } = capture();
    log.info({ agent: "weather" }, "two\nlines");
    expect(lines[0]?.endsWith("}\n")).toBe(true);
    expect(last()).toMatchObject({ level: "info", agent: "weather", msg: "two\nlines" });
    expect(new Date(String(last().time)).toISOString()).toBe(last().time);
  });

  test("a level below the configured one is not written", () => {
    const { log, lines } = capture({ level: "warn" });
    log.info("m");
    expect(lines).toEqual([]);
  });

  test("pretty is for people", () => {
    const { log, lines } = capture({ format: "pretty" });
    log.warn({ agent: "weather" }, "slow");
    expect(lines[0]).toMatch(/^\[.*\] WARN: slow \{"agent":"weather"\}\n$/);
  });

  test("a value that cannot be serialised does not stop the log", () => {
    const { log, last } = capture();
    log.info(
      {
        bad: {
          toJSON: () => {
            throw new Error("no");
          },
        },
        token: 1n,
      },
      "still here",
    );
    expect(last().msg).toBe("still here");
  });
});

describe("errors", () => {
  test("show code, details and the chain of causes", () => {
    const { log, last } = capture();
    const cause = new TypeError("below", { cause: "text" });
    log.error({ err: new StoaError("NOT_FOUND", "gone", { details: { id: "a" }, cause }) }, "m");
    expect(last().err).toMatchObject({
      type: "StoaError",
      code: "NOT_FOUND",
      message: "gone",
      details: { id: "a" },
      cause: { type: "TypeError", message: "below", cause: "text" },
    });
  });

  test("a chain that bites its tail has an end", () => {
    const { log, lines, last } = capture();
    const error = new Error("loop");
    error.cause = error;
    log.error(error);
    expect(last().msg).toBe("loop");
    expect(lines[0]).toContain("[more causes]");
  });

  test("a long message is cut", () => {
    const { log, lines } = capture();
    log.error({ err: new Error("x".repeat(1_000_000)) }, "m");
    expect(lines[0]?.length).toBeLessThan(20_000);
  });
});
