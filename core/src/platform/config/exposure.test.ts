import { describe, expect, test } from "vitest";
import { assertExposureAllowed, isLoopback, wideListeners } from "./exposure.ts";
import { loadConfig } from "./load.ts";

const config = (env: Record<string, string>) => loadConfig({ cwd: "/nowhere", env }).config;
const none = { apiKeys: 0 };

test.each([
  "127.0.0.1",
  "127.8.9.10",
  "localhost",
  "LOCALHOST",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
])("%s is this machine only", (host) => expect(isLoopback(host)).toBe(true));

test.each([
  "0.0.0.0",
  "::",
  "10.0.0.1",
  "stoa.internal",
  "::ffff:10.0.0.1",
  "localhost.example.com",
  "fe80::1%eth0",
])("%s is reached by others", (host) => expect(isLoopback(host)).toBe(false));

describe("assertExposureAllowed", () => {
  test("loopback needs nothing", () => {
    expect(() => assertExposureAllowed(config({}), none)).not.toThrow();
  });

  test("a wider address needs a signing key that was set, or an API key", () => {
    const wide = { STOA_HTTP_HOST: "0.0.0.0", GRPC__HOST: "::" };
    expect(() => assertExposureAllowed(config(wide), none)).toThrow(
      expect.objectContaining({
        code: "EXPOSURE_REFUSED",
        message: expect.stringContaining("http.host 0.0.0.0 and grpc.host :: can be reached"),
      }),
    );
    expect(() => assertExposureAllowed(config(wide), { apiKeys: 1 })).not.toThrow();
    expect(() =>
      assertExposureAllowed(config({ ...wide, STOA_SIGNING_KEY: "k".repeat(32) }), none),
    ).not.toThrow();
  });

  test("a listener that is off does not count", () => {
    expect(wideListeners(config({ GRPC__HOST: "0.0.0.0", GRPC__ENABLED: "false" }))).toEqual([]);
  });
});
