import { linesOf, type Progress, type VerifyReport } from "#domain/ledger";
import { catalogue, type ErrorCode, messageOf, StoaError } from "#platform/errors";
import type { CoreClient } from "../core-client.ts";

interface Line {
  readonly progress?: Progress;
  readonly report?: VerifyReport;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Lets the core verify, for as long as it takes, and passes on how far it is. */
export async function readVerification(
  { baseUrl, authorization, request }: CoreClient,
  what: { workspaceId: string | undefined; from: number | undefined },
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<VerifyReport> {
  const response = await fetch(`${baseUrl}/api/v1/audit/verify`, {
    method: "POST",
    headers: {
      accept: "application/x-ndjson",
      "content-type": "application/json",
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify(what),
    redirect: "error",
    signal,
  }).catch((error: Error) => {
    if (signal.aborted) throw error;
    const cause = error.cause ?? error;
    throw new StoaError("UNAVAILABLE", `The core at ${baseUrl} does not answer: ${messageOf(cause)}.`, {
      cause,
    });
  });
  if (!response.ok || response.body === null) {
    // Asked the plain way, a refusal arrives as every other one does.
    return (await request("POST", "/api/v1/audit/verify", what, signal)) as VerifyReport;
  }
  for await (const { text } of linesOf(buffers(response.body))) {
    const { progress, report, error } = JSON.parse(text) as Line;
    if (progress) onProgress(progress);
    if (report) return report;
    if (error) {
      const code = Object.hasOwn(catalogue, error.code) ? (error.code as ErrorCode) : "INTERNAL";
      throw new StoaError(code, String(error.message));
    }
  }
  throw new StoaError("UNAVAILABLE", `The core at ${baseUrl} stopped before the verification was done.`);
}

async function* buffers(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
