import type { Server } from "node:net";
import { StoaError } from "#platform/errors";
import type { ListenOptions } from "./types.ts";

const defaultSetting = "http.port (STOA_HTTP_PORT, --http-port)";

export function portOf(server: Pick<Server, "address">): number {
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : 0;
}

/** Why a listener could not be opened, and what to change. */
export function explainListenError(thrown: unknown, options: ListenOptions): StoaError {
  const { host, port, setting = defaultSetting } = options;
  const at = `${host}:${port}`;
  const { code } = thrown as NodeJS.ErrnoException;
  switch (code) {
    case "EADDRINUSE":
      return new StoaError(
        "PORT_TAKEN",
        `HTTP cannot listen on ${at}: port ${port} is in use by another program. Stop it, or choose another port with ${setting}.`,
        { details: { host, port, setting }, cause: thrown },
      );
    case "EACCES":
      return new StoaError(
        "CONFIG_INVALID",
        `HTTP may not listen on ${at}: this user has no right to. Choose a port above 1023 with ${setting}.`,
        { cause: thrown },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
    case "ERR_SOCKET_BAD_PORT":
      return new StoaError(
        "CONFIG_INVALID",
        `HTTP cannot listen on ${at} (${code}): there is no such address on this machine. Correct http.host, or ${setting}.`,
        { cause: thrown },
      );
    default:
      return StoaError.from(thrown);
  }
}
