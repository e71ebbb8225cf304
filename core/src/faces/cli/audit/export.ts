import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExportPage } from "#domain/ledger";
import { StoaError } from "#platform/errors";
import type { CliContext } from "../context.ts";
import type { AuditAccess } from "./access.ts";
import { CursorFile } from "./cursor-file.ts";
import { cefSink, type ExportSink, jsonlSink, otlpLinesSink, otlpSink } from "./sinks.ts";

export interface ExportOptions {
  readonly format: "jsonl" | "cef" | "otlp";
  readonly follow?: boolean;
  readonly from?: number;
  readonly cursorFile?: string;
  readonly endpoint?: string;
  readonly header?: readonly string[];
  readonly withoutPayload?: boolean;
}

const pollMs = 1_000;
const attemptsOnce = 5;

/** Exports what is there, and with `follow` what comes, until told to stop. */
export async function runExport(
  access: AuditAccess,
  sink: ExportSink,
  { io }: CliContext,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<void> {
  const cursor =
    options.cursorFile === undefined ? undefined : new CursorFile(resolve(io.cwd, options.cursorFile));
  let from = (await cursor?.read()) ?? options.from ?? 0;
  for (;;) {
    const page = await access.exportPage(from, signal);
    cursor?.check(page.header.workspace);
    if (page.lines.length > 0) {
      await sink(options.withoutPayload ? stripped(page) : page, signal);
      // After the sink and not before: what comes twice can be told by its id, what never came cannot.
      await cursor?.write(page.next);
      from = page.next;
    }
    if (from < page.size) continue;
    if (!options.follow) return;
    await sleep(pollMs, undefined, { signal });
  }
}

function stripped(page: ExportPage): ExportPage {
  const lines = page.lines.map((line) => {
    if (line.type !== "record") return line;
    const { payload: _, salt: __, subject: ___, ...rest } = line;
    return rest;
  });
  return { ...page, lines };
}

/** Where the records go; refuses flags that do not go together. */
export function sinkFor(
  { io, out, version }: CliContext,
  { format, endpoint, header = [], follow, withoutPayload }: ExportOptions,
): ExportSink {
  if (endpoint !== undefined && format !== "otlp")
    throw new StoaError("USAGE", "--endpoint goes with --format otlp.");
  if (withoutPayload && format === "jsonl")
    throw new StoaError(
      "USAGE",
      "--without-payload goes with cef and otlp: a file to verify has to be whole.",
    );
  if (format === "jsonl") return jsonlSink(io.stdout);
  if (format === "cef") return cefSink(io.stdout, version);
  if (endpoint === undefined) return otlpLinesSink(io.stdout, version);
  return otlpSink({
    endpoint: logsAddress(endpoint),
    headers: Object.fromEntries(header.map(parseHeader)),
    version,
    warn: (text) => out.warn(text),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    attempts: follow ? Number.POSITIVE_INFINITY : attemptsOnce,
  });
}

/** As OpenTelemetry's exporters do: an address without a path gets the usual one. */
function logsAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new StoaError("USAGE", "--endpoint: expected an address like http://localhost:4318.");
  }
  if (url.pathname === "/") url.pathname = "/v1/logs";
  return url;
}

function parseHeader(text: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new StoaError("USAGE", "--header: expected `name: value`.");
  return [name, value];
}
