import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createLogger } from "#platform/log";
import { createTelemetry, type Telemetry } from "#platform/telemetry";
import { createHttpHost } from "../host.ts";
import type { HttpHost, HttpHostOptions, HttpPrincipal, Role } from "../types.ts";

export interface RunningHost {
  readonly host: HttpHost;
  readonly telemetry: Telemetry;
  readonly port: number;
  readonly url: string;
  readonly lines: string[];
  /** One request's bytes on a socket of its own, and every byte that comes back until the host closes it. */
  raw(bytes: string | Buffer): Promise<string>;
  socket(): Promise<Socket>;
}

export interface Envelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly requestId: string;
    readonly details?: Record<string, unknown>;
  };
}

const undo: Array<() => unknown> = [];

/** Call it in afterEach. */
export async function closeHosts(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

/** `Bearer viewer`, `Bearer member` and `Bearer admin` are who they say. */
export const authenticate = async (authorization: string | undefined): Promise<HttpPrincipal | undefined> => {
  const role = authorization?.replace("Bearer ", "");
  return role === "viewer" || role === "member" || role === "admin" ? { role: role as Role } : undefined;
};

export async function startHost(
  addRoutes: (app: HttpHost["app"], host: HttpHost) => void = () => {},
  options: Partial<HttpHostOptions> = {},
  address = "127.0.0.1",
): Promise<RunningHost> {
  const lines: string[] = [];
  const log = createLogger({
    level: "debug",
    format: "json",
    destination: { write: (line) => void lines.push(line) },
  });
  const telemetry = options.telemetry ?? createTelemetry();
  const host = createHttpHost({ log, telemetry, authenticate, version: "1.2.3", ...options });
  undo.push(() => telemetry.close());
  undo.push(() => host.close());
  addRoutes(host.app, host);
  const { port } = await host.listen({ host: address, port: 0 });
  const socket = async () => {
    const opened = connect(port, "127.0.0.1");
    opened.on("error", () => {});
    undo.push(() => opened.destroy());
    await once(opened, "connect");
    return opened;
  };
  return {
    host,
    telemetry,
    port,
    url: `http://127.0.0.1:${port}`,
    lines,
    socket,
    async raw(bytes) {
      const opened = await socket();
      const answer = received(opened);
      opened.write(bytes);
      return answer;
    },
  };
}

export async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

export async function envelopeOf(response: Response): Promise<Envelope["error"]> {
  const body = (await response.json()) as Envelope;
  return body.error;
}
