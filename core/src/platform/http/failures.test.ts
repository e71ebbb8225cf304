import { afterEach, describe, expect, test } from "vitest";
import { StoaError } from "#platform/errors";
import { closeHosts, envelopeOf, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const open = { config: { auth: "none" } } as const;

describe("failures have one form", () => {
  const routes = (app: Parameters<NonNullable<Parameters<typeof startHost>[0]>>[0]) => {
    app.get("/stoa", open, async () => {
      throw new StoaError("SCHEMA_VIOLATION", "two things are wrong", {
        details: { violations: [1] },
        cause: new Error("deep"),
      });
    });
    app.get("/foreign", open, async () => {
      throw new TypeError("select * from secrets");
    });
    app.get("/nothing", open, async () => {
      throw undefined;
    });
    app.get("/status", open, async () => {
      throw Object.assign(new Error("connect ECONNREFUSED 10.0.0.1"), { statusCode: 404 });
    });
    app.post("/echo", open, async (request) => ({ got: request.body }));
    app.post(
      "/checked",
      {
        ...open,
        schema: { body: bodySchema, querystring: { type: "object", properties: { n: { type: "integer" } } } },
      },
      async (request) => ({ got: request.body, query: request.query }),
    );
    app.post("/small", { ...open, bodyLimit: 10 }, async () => ({}));
    app.get("/items/:id", open, async (request) => request.params);
    app.put("/items/:id", open, async () => ({}));
    app.post("/message::send", open, async () => ({}));
  };
  const bodySchema = {
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: { name: { type: "string" }, count: { type: "integer" } },
  };
  const json = (body: string, type = "application/json") => ({
    method: "POST",
    body,
    headers: { "content-type": type },
  });

  test("an error of ours: its code, status, message and details, and nothing beneath", async () => {
    const { url, lines } = await startHost(routes);
    const response = await fetch(`${url}/stoa`);
    expect(response.status).toBe(422);
    const body = await response.text();
    expect(JSON.parse(body)).toEqual({
      error: {
        code: "SCHEMA_VIOLATION",
        message: "two things are wrong",
        details: { violations: [1] },
        requestId: response.headers.get("x-request-id"),
      },
    });
    expect(lines.join()).toContain("deep");
  });

  test.each(["/foreign", "/nothing", "/status"])(
    "anything else is INTERNAL, and only the log says what (%s)",
    async (path) => {
      const { url, lines } = await startHost(routes);
      const response = await fetch(url + path);
      expect(response.status).toBe(500);
      const error = await envelopeOf(response);
      expect(error.code).toBe("INTERNAL");
      expect(JSON.stringify(error)).not.toMatch(/secrets|ECONNREFUSED/);
      expect(lines.some((line) => line.includes(error.requestId) && line.includes('"level":"error"'))).toBe(
        true,
      );
    },
  );

  test("an unknown address", async () => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/nope?token=x`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const error = await envelopeOf(response);
    expect(error.code).toBe("NOT_FOUND");
    expect(error.message).toContain('"/nope"');
  });

  test("a method that is not served there: which ones are", async () => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/items/7`, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, PUT");
    expect((await envelopeOf(response)).code).toBe("METHOD_NOT_ALLOWED");
    const colon = await fetch(`${url}/message:send`);
    expect(colon.status).toBe(405);
    expect(colon.headers.get("allow")).toBe("POST");
    const options = await fetch(`${url}/items/7`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, PUT"]);
    expect((await fetch(`${url}/items/7/8`, { method: "DELETE" })).status).toBe(404);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/xml",
    "nonsense",
  ])("a body of type %s", async (type) => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/echo`, json("a=1", type));
    expect(response.status).toBe(415);
    expect((await envelopeOf(response)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test.each([
    "",
    "{",
    "{]",
    '{"a":}',
    "\u0000",
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":{"x":1}}}',
  ])("a body that is no JSON we take: %j", async (body) => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/echo`, json(body));
    expect(response.status).toBe(400);
    expect((await envelopeOf(response)).code).toBe("MALFORMED_MESSAGE");
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("JSON nested a hundred thousand deep does no harm", async () => {
    const { url } = await startHost(routes);
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect((await fetch(`${url}/checked`, json(deep))).status).toBe(400);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test.each([
    [{}, "/name"],
    [{ name: 1 }, "/name"],
    [{ name: "a", count: "1" }, "/count"],
    [{ name: "a", more: 1 }, "/more"],
  ])("a body that breaks its schema says where: %j", async (body, path) => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/checked`, json(JSON.stringify(body)));
    expect(response.status).toBe(400);
    const error = await envelopeOf(response);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(/^body/);
    expect(error.details?.violations).toEqual([{ path, message: expect.any(String) }]);
  });

  test("a query is text, so numbers in it are read; a bad one is told", async () => {
    const { url } = await startHost(routes);
    const fine = await fetch(`${url}/checked?n=7`, json(`{"name":"a"}`));
    expect(await fine.json()).toEqual({ got: { name: "a" }, query: { n: 7 } });
    const bad = await fetch(`${url}/checked?n=seven`, json(`{"name":"a"}`));
    expect((await envelopeOf(bad)).message).toMatch(/^querystring\/n/);
  });

  test("a body that is too large: the limit, a route's own limit, and the setting", async () => {
    const { url } = await startHost(routes, { bodyLimit: 1_000 });
    const large = await fetch(`${url}/echo`, json(JSON.stringify("x".repeat(1_000))));
    expect(large.status).toBe(413);
    const error = await envelopeOf(large);
    expect(error.code).toBe("TOO_LARGE");
    expect(error.details).toEqual({ limit: 1_000 });
    expect(error.message).toContain("http.bodyLimit");
    const small = await fetch(`${url}/small`, json(JSON.stringify("x".repeat(20))));
    expect((await envelopeOf(small)).details).toEqual({ limit: 10 });
    expect((await fetch(`${url}/echo`, json(JSON.stringify("x".repeat(900))))).status).toBe(200);
  });

  test("a chunked body is counted as it comes", async () => {
    const { raw } = await startHost(routes, { bodyLimit: 1_000 });
    const chunk = `400\r\n${"x".repeat(1024)}\r\n`;
    const answer = await raw(
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413/);
    expect(answer).toContain('"code":"TOO_LARGE"');
  });

  test("a path that is no UTF-8", async () => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/items/%ff%zz`);
    expect(response.status).toBe(400);
    const error = await envelopeOf(response);
    expect(error.code).toBe("INVALID_ARGUMENT");
    expect(response.headers.get("x-request-id")).toBe(error.requestId);
  });

  test("a very long path is cut in the message", async () => {
    const { url } = await startHost(routes);
    const response = await fetch(`${url}/${"x".repeat(5_000)}`);
    expect((await envelopeOf(response)).message.length).toBeLessThan(400);
  });
});
