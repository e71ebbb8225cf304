import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isStoaError, type StoaError } from "#platform/errors";
import { checkToken, mintToken, type TokenRules } from "./token.ts";

const key = "test-signing-key-32bytes-long!!!";
const subject = { userId: "user-abc-123", workspaceId: "ws-def-456" };
const vectors = [
  [
    1_777_000_000,
    "dXNlci1hYmMtMTIzOndzLWRlZi00NTY6MTc3NzAwMDAwMA.7b0536e4b90b4192881cee98a9af5b6c854851db6f3eca96c8e861d1befb5644",
  ],
  [
    1_794_770_743,
    "dXNlci1hYmMtMTIzOndzLWRlZi00NTY6MTc5NDc3MDc0Mw.86cecebc78d145045b412744e04f253277a9cf15b9539729b53553e8f6567129",
  ],
] as const;
const timeless =
  "dXNlci1hYmMtMTIzOndzLWRlZi00NTY.b405a8d20fb1029552bdbc3421df74a0afcc47906382da0a93bf809cf7f144f1";
const at = 1_777_000_000;
const good = vectors[0][1];

const check = (token: string, rules: Partial<TokenRules> = {}) =>
  checkToken(token, { keys: [key], unixSeconds: at, ...rules });

function refusal(token: string, rules: Partial<TokenRules> = {}): StoaError {
  try {
    check(token, rules);
  } catch (error) {
    if (isStoaError(error, "UNAUTHENTICATED")) return error;
    throw error;
  }
  throw new Error("the token was accepted");
}

/** A token whose signature is right, whatever its payload says. */
function signed(payload: string, encode = true): string {
  const encoded = encode ? Buffer.from(payload).toString("base64url") : payload;
  return `${encoded}.${createHmac("sha256", key).update(encoded).digest("hex")}`;
}

describe("the vectors", () => {
  test.each(vectors)("minted at %i", (time, token) => {
    expect(mintToken(key, subject, time)).toBe(token);
    expect(check(token, { unixSeconds: time })).toEqual({ ...subject, issuedAt: time });
  });

  test("the older form, behind its switch only", () => {
    expect(check(timeless, { acceptTimeless: true })).toEqual({ ...subject, issuedAt: undefined });
    expect(refusal(timeless).message).toContain("auth.acceptTimelessTokens");
  });
});

describe("the time", () => {
  test.each([-300, -1, 0, 299, 300])("%i s off is accepted", (off) => {
    expect(check(good, { unixSeconds: at + off }).issuedAt).toBe(at);
  });

  test.each([
    [301, "301 s in the past"],
    [-301, "301 s in the future"],
    [86_400, "86400 s in the past"],
  ])("%i s off has expired", (off, message) => {
    expect(refusal(good, { unixSeconds: at + off }).message).toContain(message);
  });

  test("the switch for the older form does not make a timed token timeless", () => {
    expect(refusal(good, { unixSeconds: at + 301, acceptTimeless: true }).message).toContain("expired");
  });
});

describe("the keys", () => {
  const next = "another-signing-key-of-32-bytes!";

  test("each of several is accepted", () => {
    expect(check(good, { keys: [next, key] }).userId).toBe(subject.userId);
    expect(check(mintToken(next, subject, at), { keys: [next, key] }).userId).toBe(subject.userId);
  });

  test("one that was taken away is not", () => {
    expect(refusal(good, { keys: [next] }).message).toContain("signature");
    expect(refusal(good, { keys: [] }).message).toContain("signature");
  });
});

describe("what is refused", () => {
  const [payload = "", signature = ""] = good.split(".");
  const other = Buffer.from(`admin:ws-def-456:${at}`).toString("base64url");

  test.each([
    ["nothing", ""],
    ["a dot", "."],
    ["no dot", payload],
    ["no payload", `.${signature}`],
    ["no signature", `${payload}.`],
    ["a signature cut short", good.slice(0, -2)],
    ["a longer signature", `${good}00`],
    ["letters that are no hex", `${payload}.${"g".repeat(64)}`],
    ["another dot", `${payload}.x.${signature}`],
    ["another payload", `${other}.${signature}`],
    ["padding", `${payload}=.${signature}`],
    ["a newline", `${good}\n`],
    ["too much", `${"a".repeat(10_000)}.${signature}`],
  ])("%s", (_title, token) => {
    expect(refusal(token).code).toBe("UNAUTHENTICATED");
  });

  test("a changed bit anywhere in the signature", () => {
    for (let index = 0; index < signature.length; index++) {
      const flipped = (Number.parseInt(signature.charAt(index), 16) ^ 1).toString(16);
      const token = `${payload}.${signature.slice(0, index)}${flipped}${signature.slice(index + 1)}`;
      expect(refusal(token).message).toContain("does not match");
    }
  });

  test("the signature is judged before the payload is read", () => {
    expect(refusal(`!!!.${"0".repeat(64)}`).message).toContain("does not match");
  });

  test.each([
    ["no workspace", "user"],
    ["an empty user", `:ws:${at}`],
    ["an empty workspace", `user::${at}`],
    ["an empty time", "user:ws:"],
    ["a fourth part", `user:ws:${at}:x`],
    ["a time with a sign", `user:ws:+${at}`],
    ["a time with a fraction", `user:ws:${at}.0`],
    ["a time in hex", "user:ws:0x69e9"],
    ["a time beyond all times", `user:ws:${"9".repeat(400)}`],
    ["a workspace with a slash", `user:../etc:${at}`],
    ["a workspace with a wildcard", `user:*:${at}`],
    ["a user with a line break", `user\n:ws:${at}`],
    ["a workspace of great length", `user:${"w".repeat(129)}:${at}`],
  ])("signed, and still: %s", (_title, payload) => {
    expect(refusal(signed(payload), { acceptTimeless: true }).code).toBe("UNAUTHENTICATED");
  });

  test.each([
    ["padding", `${Buffer.from(`u:w:${at}`).toString("base64")}==`],
    ["other base64", "+/+/"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x3a]).toString("base64url")],
  ])("signed, and not base64url text: %s", (_title, payload) => {
    expect(refusal(signed(payload, false)).message).toContain("base64url");
  });

  test("no message repeats the token or the key", () => {
    for (const token of [good, `${payload}.${"0".repeat(64)}`, signed("user")]) {
      const { message } = refusal(token, { unixSeconds: 0 });
      expect(message).not.toContain(token);
      expect(message).not.toContain(key);
    }
  });

  test("hex in upper case is accepted", () => {
    expect(check(`${payload}.${signature.toUpperCase()}`).userId).toBe(subject.userId);
  });
});

describe("minting", () => {
  test.each([
    [{ userId: "a:b", workspaceId: "ws" }, "user id"],
    [{ userId: "", workspaceId: "ws" }, "user id"],
    [{ userId: "a", workspaceId: "w:s" }, "workspace id"],
    [{ userId: "a", workspaceId: "" }, "workspace id"],
  ])("%j is refused", (subject, message) => {
    expect(() => mintToken(key, subject, at)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) }),
    );
  });

  test.each([-1, 1.5, Number.NaN])("the time %d is refused", (time) => {
    expect(() => mintToken(key, subject, time)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  });

  test("what was minted is accepted, and says what it was minted for", () => {
    const workspaceId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$/);
    const userId = fc.stringMatching(/^[a-zA-Z0-9@|.é漢😀-]{1,40}$/u);
    fc.assert(
      fc.property(userId, workspaceId, fc.nat({ max: 4_000_000_000 }), (userId, workspaceId, time) => {
        const token = mintToken(key, { userId, workspaceId }, time);
        expect(check(token, { unixSeconds: time })).toEqual({ userId, workspaceId, issuedAt: time });
      }),
    );
  });

  test("whatever a stranger sends is refused in the one way", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (token) => {
        expect(refusal(token).code).toBe("UNAUTHENTICATED");
      }),
    );
  });
});
