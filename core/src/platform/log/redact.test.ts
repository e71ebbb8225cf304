import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSecretKey, REDACTED, redactText, redactValue } from "./redact.ts";

const mac = "7b0536e4b90b4192881cee98a9af5b6c854851db6f3eca96c8e861d1befb5644";

describe("keys", () => {
  test.each([
    "authorization",
    "Authorization",
    "proxy-authorization",
    "token",
    "accessToken",
    "refresh_token",
    "api_key",
    "apiKey",
    "X-API-Key",
    "password",
    "client_secret",
    "STOA_SIGNING_KEY",
    "config_json",
    "credentials",
    "cookie",
    "set-cookie",
    "X-PAYMENT",
    "payment-signature",
    "privateKey",
  ])("%s hides what is under it", (key) => {
    expect(isSecretKey(key)).toBe(true);
    expect(redactValue({ deep: [{ [key]: { any: ["shape"] } }] })).toEqual({ deep: [{ [key]: REDACTED }] });
  });

  test.each(["keyId", "author", "name", "message", "session_id", "workspace"])("%s does not", (key) => {
    expect(redactValue({ [key]: "plain" })).toEqual({ [key]: "plain" });
  });

  test("counts and switches under such names stay readable", () => {
    const usage = { total_tokens: 12, tokenRequired: true, token: null, password: "" };
    expect(redactValue(usage)).toEqual(usage);
  });
});

describe("text", () => {
  test.each([
    ["a bearer token", "call with Bearer abc.def-ghi_123 failed", "abc.def-ghi_123"],
    ["any case", "BEARER s3cr3t-value", "s3cr3t-value"],
    ["a header line", "Authorization: Basic dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy"],
    ["an API key", "key stoa_0123456789_h7g9d1s4h7g9d1s4h7g9d1s4h7g9d1s4abcd x", "h7g9d1s4"],
    ["an API key without digits", `stoa_abcdefghjk_${"x".repeat(36)}`, "xxxx"],
    ["an API key that was cut", "stoa_0123456789_abcdefg7h", "abcdefg7h"],
    ["the command line's key", `stoa_local_${"aB3-_".repeat(9)}`, "aB3-_"],
    ["an HMAC token", `token dXNlci1hYmM.${mac}.`, mac],
    ["an HMAC token in capitals", `dXNlci1hYmM.${mac.toUpperCase()}`, mac.toUpperCase()],
    ["a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.SflKxwRJSMeKKF2QT4", "SflKxwRJSMeKKF2QT4"],
    ["a database URL", "cannot reach postgres://stoa:hunter2@db:5432/stoa", "hunter2"],
    ["a password with @ and /", "postgres://stoa:hun@ter/2@db/stoa", "ter/2"],
    ["a URL without user", "redis://:hunter2@cache", "hunter2"],
    ["a token as user", "nats://s3cr3ttoken@bus:4222", "s3cr3ttoken"],
    ["a list of URLs", "nats://a:onepass@h1:4222,nats://a:twopass@h2:4222", "onepass"],
    ["a query", "GET /x?token=abc&api_key=def123 failed", "def123"],
    ["an assignment", "env PGPASSWORD=hunter2 set", "hunter2"],
    ["a quoted assignment", `password: "two words"`, "two words"],
    ["a provider's key", "401 for sk-proj-Abcdefghij0123456789", "Abcdefghij0123456789"],
    ["a private key", "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----", "MIIEvQ"],
    ["a cut private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ", "MIIEvQ"],
    ["JSON", `{"a":[{"password":"hun\\"ter2"}]}`, "ter2"],
    ["JSON in JSON", JSON.stringify({ body: JSON.stringify({ token: `a"b` }) }), `a\\\\\\"b`],
  ])("%s", (_, text, secret) => {
    expect(text).toContain(secret);
    const clean = redactText(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain(REDACTED);
  });

  test.each([
    "Unexpected token: comma",
    "http://127.0.0.1:3775/agents/weather",
    "mail to a@b.example",
    "total_tokens: 12",
    "the secretary arrived",
    "Send `authorization: Bearer <token or API key>`.",
    "the metric stoa_http_request_duration_seconds rose",
    "key stoa_0123456789 was revoked",
    `sha256:${mac}`,
  ])("plain talk stays: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });

  test("says enough to find the thing", () => {
    expect(redactText("cannot reach postgres://stoa:hunter2@db:5432/stoa")).toBe(
      `cannot reach postgres://stoa:${REDACTED}@db:5432/stoa`,
    );
  });

  test("hostile text of a megabyte is searched in linear time", () => {
    for (const unit of [
      "a-",
      "eyJaaaaaaa.",
      "://a:",
      "password:",
      "-----BEGIN PRIVATE KEY-----",
      "stoa_",
      "sk-",
      `.${mac}`,
      "bearer ",
      "token=",
      "[",
      `{"a":`,
      "authorization: ",
    ]) {
      const text = `token ${unit.repeat(1_000_000 / unit.length)}`;
      expect(redactText(text).length).toBeGreaterThan(0);
      expect(redactText(text.slice(6)).length).toBeGreaterThan(0);
    }
  });
});

test("a secret is found wherever it stands in a value", () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9]{24}$/).filter((text) => /\d/.test(text));
  const key = fc.constantFrom("token", "Authorization", "dbPassword", "api-key");
  fc.assert(
    fc.property(
      secret,
      key,
      fc.json(),
      fc.array(fc.string(), { maxLength: 6 }),
      (value, name, other, path) => {
        let tree: unknown = { [name]: value, text: `said "Bearer ${value}" and {"${name}":"${value}"}` };
        for (const step of path) tree = { [step]: [tree], other: JSON.parse(other) };
        return !JSON.stringify(redactValue(tree)).includes(value);
      },
    ),
  );
});

test("the shape survives, hostile keys too", () => {
  const tree = JSON.parse(`{"__proto__":{"token":"abc"},"constructor":{"x":1},"list":[1,null,true,"s"]}`);
  const clean = redactValue(tree);
  expect(JSON.stringify(clean)).toBe(
    `{"__proto__":{"token":"${REDACTED}"},"constructor":{"x":1},"list":[1,null,true,"s"]}`,
  );
  expect(({} as { token?: string }).token).toBeUndefined();
});

test("depth has an end", () => {
  let tree: unknown = "leaf";
  for (let depth = 0; depth < 5_000; depth++) tree = [tree];
  expect(JSON.stringify(redactValue(tree))).toContain("[too deep]");
});
