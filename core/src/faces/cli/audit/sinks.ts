import { once } from "node:events";
import { type ExportedRecord, type ExportPage, toCef, toOtlp } from "#domain/ledger";
import { messageOf, StoaError } from "#platform/errors";

/** Takes pages of the export; resolves once it has them, so that the cursor can move on. */
export type ExportSink = (page: ExportPage, signal: AbortSignal) => Promise<void>;

export function jsonlSink(stdout: NodeJS.WritableStream): ExportSink {
  let begun = false;
  return async ({ header, lines }) => {
    // Each run begins with a header: whoever verifies the file learns where it starts and with which key.
    const all = begun ? lines : [header, ...lines];
    begun = true;
    await write(stdout, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
}

export function cefSink(stdout: NodeJS.WritableStream, version: string): ExportSink {
  return (page) =>
    write(
      stdout,
      recordsOf(page)
        .map((record) => `${toCef(record, version)}\n`)
        .join(""),
    );
}

export function otlpLinesSink(stdout: NodeJS.WritableStream, version: string): ExportSink {
  return async (page) => {
    const records = recordsOf(page);
    if (records.length > 0) await write(stdout, `${JSON.stringify(toOtlp(records, version))}\n`);
  };
}

export interface OtlpOptions {
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: string;
  readonly warn: (text: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** How often a page is tried; forever where the export follows. */
  readonly attempts: number;
}

/** Sends to an OpenTelemetry collector, again and again while it is away. */
export function otlpSink(options: OtlpOptions): ExportSink {
  const { endpoint, version, warn, sleep, attempts } = options;
  return async (page, signal) => {
    const records = recordsOf(page);
    if (records.length === 0) return;
    const body = JSON.stringify(toOtlp(records, version));
    for (let attempt = 1; ; attempt++) {
      const refusal = await post(options, body, signal);
      if (refusal === undefined) return;
      if (!refusal.again || attempt >= attempts) {
        throw new StoaError("UNAVAILABLE", `${endpoint.href} did not take the records: ${refusal.why}.`);
      }
      const delay = refusal.afterMs ?? Math.min(30_000, 500 * 2 ** Math.min(attempt, 10));
      warn(
        `${endpoint.href} did not take the records (${refusal.why}); trying again in ${Math.ceil(delay / 1000)} s.`,
      );
      await sleep(delay, signal);
    }
  };
}

interface Refusal {
  readonly why: string;
  readonly again: boolean;
  readonly afterMs?: number;
}

/** The statuses that OTLP says to try again on. */
const passing = new Set([429, 502, 503, 504]);

async function post(
  { endpoint, headers, warn }: OtlpOptions,
  body: string,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw error;
    return { why: messageOf((error as Error).cause ?? error), again: true };
  }
  if (response.ok) {
    warnOfRejected(text, warn);
    return undefined;
  }
  const after = Number(response.headers.get("retry-after"));
  return {
    why: `HTTP status ${response.status}`,
    again: passing.has(response.status),
    ...(after > 0 ? { afterMs: Math.min(after * 1000, 300_000) } : {}),
  };
}

/** A collector can take a request and drop some of it; to send that again would be of no use, to say it is. */
function warnOfRejected(text: string, warn: (text: string) => void): void {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedLogRecords?: unknown; errorMessage?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedLogRecords ?? 0);
    if (rejected > 0)
      warn(`The collector rejected ${rejected} records: ${String(partialSuccess?.errorMessage ?? "")}`);
  } catch {
    // An empty answer is a whole success.
  }
}

function recordsOf({ lines }: ExportPage): ExportedRecord[] {
  return lines.filter((line) => line.type === "record");
}

async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (text !== "" && !stream.write(text)) await once(stream, "drain");
}
