import { expect, test } from "vitest";
import { decodeEnvelope, decodeReply, type Envelope, encodeEnvelope } from "./envelope.ts";

const request: Envelope = {
  version: 1,
  kind: "request",
  messageId: "m",
  correlationId: "c",
  from: "agent://a",
  to: "agent://b",
  capability: "do-it",
  payload: { x: [1, null] },
};

test("comes back as it was sent", () => {
  expect(decodeEnvelope(encodeEnvelope(request))).toEqual(request);
});

test.each([
  ["no JSON", Buffer.from("{")],
  ["no UTF-8", Buffer.from([0xff, 0xfe])],
  ["another version", Buffer.from(JSON.stringify({ ...request, version: 2 }))],
  ["an address that is none", Buffer.from(JSON.stringify({ ...request, to: "b" }))],
  ["no capability", Buffer.from(JSON.stringify({ ...request, capability: "" }))],
])("refuses %s", (_what, bytes) => {
  expect(() => decodeEnvelope(bytes)).toThrow(
    expect.objectContaining({ details: { rpcCode: "EAGENTRPC_INVALID_ENVELOPE" } }),
  );
});

test("a reply says ok with data or not ok with an error, and nothing else", () => {
  expect(decodeReply({ ok: true, data: 1 })).toEqual({ ok: true, data: 1 });
  expect(decodeReply({ ok: false, error: { code: "E", message: "m" } })).toMatchObject({ ok: false });
  expect(() => decodeReply({ ok: "yes" })).toThrow(/response is not valid/);
});
