import { expect, test } from "vitest";
import { checkCallbackAddress } from "./callback-address.ts";

test.each(["localhost:50052", "127.0.0.1:1", "agent_1.example.com:65535", "[::1]:80"])(
  "takes %s",
  (address) => {
    expect(() => checkCallbackAddress(address)).not.toThrow();
  },
);

test.each([
  "",
  "localhost",
  "localhost:0",
  "localhost:99999",
  "localhost:65536",
  "unix:foo:80",
  "ipv4:127.0.0.1:80",
  "dns:///example.com:80",
  "[:80",
  "[]:80",
  "::1:80",
  "host:80\n",
  "user@host:80",
])("refuses %j", (address) => {
  expect(() => checkCallbackAddress(address)).toThrow(/expected host:port/);
});
