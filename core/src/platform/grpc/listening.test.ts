import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createGrpcHost } from "./host.ts";
import { certificate } from "./test-certificates.ts";
import { silent, startHost } from "./test-host.ts";

const folder = mkdtempSync(join(tmpdir(), "stoa-grpc-"));
const file = (name: string) => join(folder, name);

beforeAll(() => () => rmSync(folder, { recursive: true }));

function listening(host: string, port: number) {
  const server = createGrpcHost({ host, port, log: silent });
  onTestFinished(() => server.drain(0));
  return server.listen();
}

describe("where it cannot listen", () => {
  test("a taken port is named, with the setting that changes it", async () => {
    const { host } = await startHost();
    await expect(listening("127.0.0.1", host.port)).rejects.toMatchObject({
      code: "PORT_TAKEN",
      message: expect.stringMatching(new RegExp(`${host.port}.*STOA_GRPC_PORT`)),
      details: { port: host.port },
    });
  });

  test("a port that something else than gRPC took is named as well", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    onTestFinished(() => void other.close());
    await expect(listening("127.0.0.1", port)).rejects.toMatchObject({ code: "PORT_TAKEN" });
  });

  test("an address that is not this machine's names the setting of the host", async () => {
    await expect(listening("192.0.2.1", 0)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("STOA_GRPC_HOST"),
    });
  });

  test("a host that failed to listen can be drained", async () => {
    const { host } = await startHost();
    const second = createGrpcHost({ host: "127.0.0.1", port: host.port, log: silent });
    await expect(second.listen()).rejects.toMatchObject({ code: "PORT_TAKEN" });
    await second.drain(0);
  });
});

test("a unix socket serves as well as a port", async () => {
  const path = file("host.sock");
  const { capability } = await startHost({
    path,
    handlers: { invoke: (_, { peer }) => ({ error: peer }) },
  });
  expect((await capability().invoke({})).error).toBe("unknown");
});

describe("with certificates", () => {
  const authority = certificate("authority");
  const server = certificate("server", authority);
  const client = certificate("client", authority);
  const stranger = certificate("stranger", certificate("another authority"));

  beforeAll(() => {
    for (const { name, cert, key } of [authority, server, client, stranger]) {
      writeFileSync(file(`${name}.pem`), cert);
      writeFileSync(file(`${name}.key`), key);
    }
  });

  const serverTls = () => ({ certFile: file("server.pem"), keyFile: file("server.key") });
  const shown = (name: string) => ({
    caFile: file("authority.pem"),
    certFile: file(`${name}.pem`),
    keyFile: file(`${name}.key`),
  });

  test("TLS is served to those who trust the authority", async () => {
    const { capability } = await startHost({ tls: serverTls() });
    const trusting = capability({ tls: { caFile: file("authority.pem") } });
    expect(await trusting.healthcheck({})).toMatchObject({ ready: true });
    await expect(capability({ tls: {} }).healthcheck({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(capability().healthcheck({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("with a client authority, every client shows a certificate of its", async () => {
    const { capability } = await startHost({ tls: { ...serverTls(), clientCaFile: file("authority.pem") } });
    expect(await capability({ tls: shown("client") }).healthcheck({})).toMatchObject({ ready: true });
    for (const tls of [shown("stranger"), { caFile: file("authority.pem") }]) {
      await expect(capability({ tls }).healthcheck({})).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    expect(await capability({ tls: shown("client") }).healthcheck({})).toMatchObject({ ready: true });
  });

  test.each([
    ["is not there", { certFile: file("none.pem"), keyFile: file("server.key") }, "none.pem"],
    ["does not fit its key", { certFile: file("server.pem"), keyFile: file("client.key") }, "client.key"],
    ["is none", { certFile: file("server.key"), keyFile: file("server.key") }, "server.key"],
  ])("a certificate that %s is named at the start", (_, tls, name) => {
    const start = () => createGrpcHost({ host: "127.0.0.1", port: 0, log: silent, tls });
    expect(start).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringContaining(name) }),
    );
  });
});
