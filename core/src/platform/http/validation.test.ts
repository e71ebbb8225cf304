import { afterEach, expect, test } from "vitest";
import { closeHosts, envelopeOf, startHost } from "./testing/fixture.ts";

afterEach(closeHosts);

const open = { auth: "none" } as const;
const small = { type: "object", required: ["n"], properties: { n: { type: "integer", maximum: 9 } } };

test("a route's check says what is wrong on the first request and on later ones", async () => {
  const { url } = await startHost((app) => {
    app.post("/n", { config: open, schema: { body: small } }, async ({ body }) => ({ body }));
  });
  const send = (body: unknown) =>
    fetch(`${url}/n`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const wrong of [{ n: "1" }, { n: 10 }, {}]) {
    const refused = await send(wrong);
    expect(refused.status).toBe(400);
    expect((await envelopeOf(refused)).message).toMatch(/\bn\b/);
  }
  expect(await (await send({ n: 9 })).json()).toEqual({ body: { n: 9 } });
  expect((await send({ n: 10 })).status).toBe(400);
});

test("a query's numbers are read", async () => {
  const { url } = await startHost((app) => {
    app.get("/n", { config: open, schema: { querystring: small } }, async ({ query }) => ({ query }));
  });
  expect(await (await fetch(`${url}/n?n=3`)).json()).toEqual({ query: { n: 3 } });
  expect((await fetch(`${url}/n?n=x`)).status).toBe(400);
});

test("a schema that is none is found without a request", async () => {
  const { host } = await startHost((app) => {
    app.get("/n", { config: open, schema: { querystring: { type: "number or so" } } }, async () => "n");
  });
  await expect(host.compileSchemas()).rejects.toThrow(/schema is invalid/);
});
