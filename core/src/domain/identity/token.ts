import { createHmac, timingSafeEqual } from "node:crypto";
import { StoaError } from "#platform/errors";
import { checkUserId, checkWorkspaceId, isUserId, isWorkspaceId } from "./ids.ts";

/** How far the time in a token may be off, in either direction. */
export const tokenToleranceSeconds = 300;
/** Two ids at their longest, every character four bytes, and the signature: still well below this. */
const maximumLength = 4096;

export interface TokenSubject {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface TokenClaims extends TokenSubject {
  /** Unix seconds; undefined for the older form, which carries no time. */
  readonly issuedAt: number | undefined;
}

export function mintToken(key: string, subject: TokenSubject, unixSeconds: number): string {
  const userId = checkUserId(subject.userId);
  const workspaceId = checkWorkspaceId(subject.workspaceId);
  if (!Number.isSafeInteger(unixSeconds) || unixSeconds < 0) {
    throw new StoaError("INVALID_ARGUMENT", "The time of a token is a whole number of seconds since 1970.");
  }
  const payload = Buffer.from(`${userId}:${workspaceId}:${unixSeconds}`).toString("base64url");
  return `${payload}.${sign(key, payload).toString("hex")}`;
}

export interface TokenRules {
  /** Each of them is accepted, so that the signing key can be changed while older tokens are about. */
  readonly keys: readonly string[];
  readonly unixSeconds: number;
  readonly acceptTimeless?: boolean;
}

/** Everything before the signature is the work of strangers, so nothing is decoded until it is proven. */
export function checkToken(token: string, rules: TokenRules): TokenClaims {
  if (token.length > maximumLength) throw refused("The token is too long.");
  const dot = token.indexOf(".");
  const payload = token.slice(0, dot);
  const signature = token.slice(dot + 1);
  if (dot < 1 || !/^[0-9a-f]{64}$/i.test(signature)) {
    throw refused("The bearer token has not the form <payload>.<signature in hex>, and is no API key.");
  }
  if (!isSigned(payload, Buffer.from(signature, "hex"), rules.keys)) {
    throw refused("The signature of the token does not match; it was made with another key, or altered.");
  }
  const { userId, workspaceId, time } = decode(payload);
  if (time === undefined) {
    if (rules.acceptTimeless) return { userId, workspaceId, issuedAt: undefined };
    throw refused("The token carries no time; this form is accepted only with auth.acceptTimelessTokens.");
  }
  const issuedAt = Number(time);
  const age = rules.unixSeconds - issuedAt;
  if (Math.abs(age) > tokenToleranceSeconds) {
    const direction = age > 0 ? "in the past" : "in the future";
    throw refused(
      `The token has expired: its time is ${Math.abs(age)} s ${direction} and may be off by ` +
        `${tokenToleranceSeconds} s. Mint a new one, and check the clocks.`,
    );
  }
  return { userId, workspaceId, issuedAt };
}

function sign(key: string, payload: string): Buffer {
  return createHmac("sha256", key).update(payload, "ascii").digest();
}

/**
 * The signatures of payloads that were proven lately. A caller sends the same token with call after call, and to
 * compute the signature again would cost a third of a small call; it is compared in constant time all the same.
 */
const proven = new Map<string, { readonly keys: readonly string[]; readonly signature: Buffer }>();
const provenAtMost = 10_000;

function isSigned(payload: string, signature: Buffer, keys: readonly string[]): boolean {
  const known = proven.get(payload);
  if (known?.keys === keys && timingSafeEqual(known.signature, signature)) return true;
  // Every key is tried, so that the time taken does not tell which one matched.
  let matched = false;
  for (const key of keys) {
    if (timingSafeEqual(sign(key, payload), signature)) matched = true;
  }
  if (matched) {
    if (proven.size >= provenAtMost) proven.clear();
    proven.set(payload, { keys, signature });
  }
  return matched;
}

function decode(payload: string): TokenSubject & { time: string | undefined } {
  let text: string;
  try {
    // Buffer skips over characters that are not base64, so they are looked for first.
    if (!/^[A-Za-z0-9_-]+$/.test(payload)) throw new TypeError("not base64url");
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(payload, "base64url"));
  } catch (cause) {
    throw refused("The payload of the token is not base64url text without padding.", cause);
  }
  const parts = text.split(":");
  const [userId = "", workspaceId = "", time] = parts;
  if (parts.length < 2 || parts.length > 3 || (time !== undefined && !/^\d{1,12}$/.test(time))) {
    throw refused("The payload of the token is not user:workspace:seconds.");
  }
  if (!isUserId(userId)) throw refused("The user id in the token is empty or not allowed.");
  if (!isWorkspaceId(workspaceId)) throw refused("The workspace id in the token is empty or not allowed.");
  return { userId, workspaceId, time };
}

function refused(message: string, cause?: unknown): StoaError {
  return new StoaError("UNAUTHENTICATED", message, { cause });
}
