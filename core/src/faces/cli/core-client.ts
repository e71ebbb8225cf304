import { readLocalCredential } from "#domain/identity";
import type { Environment } from "#platform/config";
import { catalogue, type ErrorCode, messageOf, StoaError } from "#platform/errors";
import { isHomeLocked, readRuntime } from "#platform/home";

export interface CoreClient {
  /** `http://127.0.0.1:3775`, without a slash at the end. */
  readonly baseUrl: string;
  /** Where its gRPC is, if that is known. */
  readonly grpc: { readonly host: string; readonly port: number } | undefined;
  /** The value of the `authorization` header. */
  readonly authorization: string | undefined;
  readonly pid: number | undefined;
  /** Calls the REST API: `request("POST", "/api/v1/keys", {…})`. Errors of the core arrive as they are. */
  request(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    /** How long the core may take. */
    timeoutMs?: number,
  ): Promise<unknown>;
}

const defaultTimeoutMs = 30_000;
const defaultGrpcPort = 3774;

/** The core that STOA_URL names, or the one that runs on this home, or undefined. */
export function findCore(home: string, env: Environment): CoreClient | undefined {
  const key = env.STOA_API_KEY?.trim() || undefined;
  const remote = env.STOA_URL?.trim();
  if (remote)
    return client({
      baseUrl: checkUrl(remote),
      credential: key,
      grpc: remoteGrpc(remote, env.STOA_GRPC_URL),
    });
  const runtime = readRuntime(home);
  // The lock tells whether that core still lives. Without asking, the credential could be sent to whatever
  // program has got its port since.
  if (!runtime?.http || !isHomeLocked(home)) return undefined;
  const { host, port } = runtime.http;
  const credential = key ?? readLocalCredential(home);
  return client({
    baseUrl: `http://${reachable(host)}:${port}`,
    credential,
    grpc: runtime.grpc,
    pid: runtime.pid,
  });
}

function client(options: {
  baseUrl: string;
  credential: string | undefined;
  grpc?: CoreClient["grpc"];
  pid?: number;
}): CoreClient {
  const { baseUrl, credential, grpc, pid } = options;
  const authorization = credential === undefined ? undefined : `Bearer ${credential}`;
  return {
    baseUrl,
    grpc,
    authorization,
    pid,
    async request(method, path, body, signal, timeoutMs = defaultTimeoutMs) {
      const deadline = AbortSignal.timeout(timeoutMs);
      let response: Response;
      let text: string;
      try {
        response = await fetch(`${baseUrl}${path}`, {
          method,
          headers: {
            accept: "application/json",
            ...(authorization === undefined ? {} : { authorization }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          redirect: "error",
          signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
        });
        text = await response.text();
      } catch (error) {
        if (signal?.aborted) throw error;
        const cause = (error as Error).cause ?? error;
        throw new StoaError("UNAVAILABLE", `The core at ${baseUrl} does not answer: ${messageOf(cause)}.`, {
          cause,
        });
      }
      if (response.ok) return text === "" ? undefined : parse(text, baseUrl);
      throw remoteError(response.status, text, baseUrl);
    },
  };
}

function parse(text: string, baseUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StoaError("MALFORMED_MESSAGE", `${baseUrl} did not answer with JSON. Is it a Stoa core?`, {
      cause,
    });
  }
}

function remoteError(status: number, text: string, baseUrl: string): StoaError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; details?: object } };
    if (Object.hasOwn(catalogue, error.code)) {
      return new StoaError(error.code as ErrorCode, String(error.message), { details: { ...error.details } });
    }
  } catch {
    // Not the form of a Stoa error: said below.
  }
  return new StoaError("UNAVAILABLE", `${baseUrl} answered with HTTP status ${status}. Is it a Stoa core?`);
}

/** Where a core elsewhere serves gRPC: as said, or on the default port of the same host. */
function remoteGrpc(url: string, said: string | undefined): { host: string; port: number } {
  const { hostname, port } = new URL(
    said?.trim() ? `grpc://${said.trim().replace(/^[a-z]+:\/\//, "")}` : url,
  );
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port: said?.trim() && port !== "" ? Number(port) : defaultGrpcPort };
}

function checkUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw new StoaError(
    "CONFIG_INVALID",
    "environment STOA_URL: expected an http:// or https:// address of a core.",
  );
}

/** How to write a listener's host in an address. One on every address is reached at this machine's own. */
export function reachable(host: string): string {
  const here = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return here.includes(":") ? `[${here}]` : here;
}
