import type { Server } from "node:http";
import type { Logger } from "#platform/log";

const lookEveryMs = 50;

/**
 * Helps a server that is closing to an end. It waits for its sockets, and a socket whose answer has just
 * ended would idle for the keep-alive time: those are closed as they fall idle, and after `timeoutMs` all.
 */
export function hurry(server: Server, timeoutMs: number, log: Logger): () => void {
  const idle = setInterval(() => server.closeIdleConnections(), lookEveryMs);
  const end = setTimeout(() => {
    log.warn({ timeoutMs }, "HTTP closes over requests that did not finish");
    server.closeAllConnections();
  }, timeoutMs);
  return () => {
    clearInterval(idle);
    clearTimeout(end);
  };
}
