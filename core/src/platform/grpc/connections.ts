import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";

export interface KeepaliveOptions {
  /** How often a connection is asked for a sign of life, and how long it may take to give one. */
  readonly timeMs: number;
  readonly timeoutMs: number;
}

/** The connections of a host: finds out which are dead, and says goodbye to the others. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #keepalive: KeepaliveOptions;
  #closing = false;

  constructor(keepalive: KeepaliveOptions) {
    this.#keepalive = keepalive;
  }

  connected(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
  }

  opened(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    const pings = setInterval(() => this.#ping(session), this.#keepalive.timeMs).unref();
    session.on("close", () => {
      clearInterval(pings);
      this.#sessions.delete(session);
    });
    if (this.#closing) session.close();
  }

  /** Each takes no new call and closes after its last one. */
  close(): void {
    this.#closing = true;
    for (const session of this.#sessions) session.close();
  }

  /** A session that has said goodbye still waits for its peer's, so it is the sockets that are cut. */
  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #ping(session: ServerHttp2Session): void {
    if (session.destroyed) return;
    const dead = setTimeout(() => session.destroy(), this.#keepalive.timeoutMs).unref();
    // False where a ping cannot be sent at all, as with too many unanswered: the timer then decides.
    session.ping(() => clearTimeout(dead));
  }
}
