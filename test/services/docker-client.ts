import { request } from "node:http";

/** The few calls of Docker's HTTP interface that tests of the engine itself need. */
export class DockerClient {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  get<T>(path: string): Promise<T> {
    return this.#send("GET", path, Buffer.alloc(0), "application/json");
  }

  post<T>(path: string, body: object | Buffer = {}, type = "application/json"): Promise<T> {
    return this.#send("POST", path, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)), type);
  }

  #send<T>(method: string, path: string, body: Buffer, type: string): Promise<T> {
    const headers = { "content-type": type, "content-length": body.length };
    return new Promise((resolve, reject) => {
      const req = request({ socketPath: this.#socketPath, method, path, headers }, (res) => {
        const chunks: Buffer[] = [];
        res.on("data", (chunk: Buffer) => chunks.push(chunk));
        res.on("error", reject);
        res.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if ((res.statusCode ?? 500) >= 400)
            reject(new Error(`${method} ${path}: ${res.statusCode} ${text}`));
          else
            resolve(
              (res.headers["content-type"]?.includes("json") && text.length > 0 ? parse(text) : text) as T,
            );
        });
      });
      req.on("error", reject);
      req.end(body);
    });
  }
}

/** Some calls answer with a document a line; the last one is how it ended. */
function parse(text: string): unknown {
  return JSON.parse(text.trim().split("\r\n").at(-1) ?? "null");
}
