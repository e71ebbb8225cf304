import type { ListenOptions, Server } from "node:net";
import { StoaError } from "#platform/errors";

/** Where to listen, and what the settings are called that say so. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** A unix socket instead of host and port. */
  readonly path?: string | undefined;
  readonly settings: { readonly host: string; readonly port: string };
}

export function listen(server: Server, address: Address): Promise<number> {
  const { host, port, path } = address;
  const where: ListenOptions = path === undefined ? { host, port } : { path };
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(explain(error, address));
    server.once("error", failed);
    server.listen(where, () => {
      server.off("error", failed);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : 0);
    });
  });
}

function explain(error: NodeJS.ErrnoException, { host, port, path, settings }: Address): StoaError {
  const at = path ?? `${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new StoaError(
        "PORT_TAKEN",
        path === undefined
          ? `gRPC cannot listen on ${at}: port ${port} is in use by another program. Stop it, or choose another port with ${settings.port}.`
          : `gRPC cannot listen on ${at}: another program listens on that socket. Stop it, or remove the file.`,
        { cause: error, details: { host, port, setting: settings.port } },
      );
    case "EACCES":
      return new StoaError(
        "CONFIG_INVALID",
        `gRPC may not listen on ${at}: this user has no right to. Choose a port above 1023 with ${settings.port}.`,
        { cause: error },
      );
    default:
      return new StoaError(
        "CONFIG_INVALID",
        `gRPC cannot listen on ${at} (${error.code ?? error.message}): no such address on this machine. Correct ${settings.host}.`,
        { cause: error },
      );
  }
}
