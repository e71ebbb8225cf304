import { rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { createLogger } from "#platform/log";
import { createTelemetry } from "#platform/telemetry";
import { createHttpHost } from "./host.ts";
import { selfSigned } from "./testing/certificate.ts";
import { closeHosts, startHost } from "./testing/fixture.ts";

const { folder, certFile, keyFile, cert } = selfSigned();
afterEach(closeHosts);
afterAll(() => rmSync(folder, { recursive: true }));

function get(
  port: number,
  path: string,
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, ca: cert, servername: "localhost", agent: false },
      (response) => {
        response.resume();
        response.on("end", () => resolve({ status: response.statusCode, headers: response.headers }));
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

test("serves over TLS, tells browsers to stay with it, and survives who speaks none", async () => {
  const { port, raw } = await startHost(() => {}, { tls: { certFile, keyFile } });
  const { status, headers } = await get(port, "/healthz");
  expect(status).toBe(200);
  expect(headers["strict-transport-security"]).toBe("max-age=31536000");
  await raw("GET / HTTP/1.1\r\n\r\n");
  expect((await get(port, "/healthz")).status).toBe(200);
});

test("with a client authority, who shows no certificate is refused", async () => {
  const { port } = await startHost(() => {}, { tls: { certFile, keyFile, clientCaFile: certFile } });
  await expect(get(port, "/healthz")).rejects.toThrow();
});

test("files that cannot be read or do not fit are told at start", () => {
  const other = join(folder, "other.pem");
  writeFileSync(other, "no key");
  const make = (tls: { certFile: string; keyFile: string }) => () =>
    createHttpHost({ log: createLogger({ level: "silent" }), telemetry: createTelemetry(), tls });
  const missing = make({ certFile: join(folder, "missing.pem"), keyFile });
  expect(missing).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  expect(missing).toThrow(/missing\.pem/);
  expect(make({ certFile, keyFile: other })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
