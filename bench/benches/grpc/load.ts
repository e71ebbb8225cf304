import { type ClientHttp2Session, connect, constants } from "node:http2";

export interface LoadOptions {
  readonly port: number;
  readonly token: string;
}

export interface Call {
  readonly path: string;
  /** The request, framed. */
  readonly body: Buffer;
  /** How long the framed answer is. */
  readonly answerBytes: number;
}

export interface Done {
  readonly calls: number;
  readonly seconds: number;
}

/**
 * A client that costs less than any server it measures: HTTP/2 frames made once and sent as they are, answers
 * counted and their status checked, nothing parsed. With a full client the client would be what is measured.
 */
export class Load {
  readonly #sessions: ClientHttp2Session[];
  readonly #token: string;

  constructor({ port, token }: LoadOptions, connections = 4) {
    this.#token = token;
    this.#sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  }

  /** Calls for as long as `ms`, `concurrent` of them at a time. */
  async run({ path, body, answerBytes }: Call, ms: number, concurrent: number): Promise<Done> {
    const headers = {
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: path,
      "content-type": "application/grpc",
      te: "trailers",
      "grpc-timeout": "30S",
      authorization: `Bearer ${this.#token}`,
    };
    const start = performance.now();
    let calls = 0;
    const caller = async (session: ClientHttp2Session) => {
      while (performance.now() - start < ms) {
        await oneCall(session, headers, body, answerBytes);
        calls += 1;
      }
    };
    const callers = Array.from({ length: concurrent }, (_, i) => {
      const session = this.#sessions[i % this.#sessions.length];
      if (session === undefined) throw new Error("no connection");
      return caller(session);
    });
    await Promise.all(callers);
    return { calls, seconds: (performance.now() - start) / 1000 };
  }

  close(): void {
    for (const session of this.#sessions) session.close();
  }
}

function oneCall(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body: Buffer,
  answerBytes: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let received = 0;
    let status: unknown;
    stream.on("trailers", (trailers) => {
      status = trailers["grpc-status"];
    });
    stream.on("data", (data: Buffer) => {
      received += data.length;
    });
    stream.on("error", reject);
    stream.on("end", () => {
      if (status === "0" && received === answerBytes) resolve();
      else
        reject(
          new Error(`${headers[":path"]} answered ${received} of ${answerBytes} bytes with status ${status}`),
        );
    });
    stream.end(body);
  });
}
