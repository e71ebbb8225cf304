import { expect, test } from "vitest";
import { parseNatsUrl } from "./nats-address.ts";

test.each([
  ["nats://bus:4222", { servers: ["bus:4222"], tls: false }],
  ["bus", { servers: ["bus:4222"], tls: false }],
  ["tls://bus:1", { servers: ["bus:1"], tls: true }],
  ["nats://a:b@x, nats://y:5", { servers: ["x:4222", "y:5"], tls: false, user: "a", pass: "b" }],
  ["nats://tok%40en@x", { servers: ["x:4222"], tls: false, token: "tok@en" }],
  ["nats://[::1]:4222", { servers: ["[::1]:4222"], tls: false }],
])("%s", (url, address) => {
  expect(parseNatsUrl(url)).toEqual(address);
});

test.each(["", " , ", "http://hunter2@x", "nats://u:hunter2@", "nats://u:hunter2@x:port", "ws://hunter2"])(
  "%j is refused without being repeated",
  (url) => {
    expect(() => parseNatsUrl(url)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => parseNatsUrl(url)).not.toThrow(/hunter2/);
  },
);
