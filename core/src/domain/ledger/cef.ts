import type { ExportedRecord } from "./export.ts";
import { isRecordKind, kinds } from "./kinds.ts";

/** A record as one line of ArcSight's Common Event Format, version 0. */
export function toCef(record: ExportedRecord, version: string): string {
  const kind = isRecordKind(record.kind) ? kinds[record.kind] : undefined;
  const header = [
    "CEF:0",
    "Stoa",
    "core",
    version,
    record.kind,
    kind?.title ?? record.kind,
    String(kind?.severity ?? 5),
  ];
  const extension: [string, string | undefined][] = [
    ["rt", String(record.ts)],
    ["externalId", record.id],
    ["cat", record.kind],
    ["suser", record.subject],
    ["outcome", outcomeOf(record.meta)],
    ["cs1Label", "workspace"],
    ["cs1", record.workspace],
    ["cs2Label", record.agent === null ? undefined : "agent"],
    ["cs2", record.agent ?? undefined],
    ["cs3Label", record.correlation === null ? undefined : "correlation"],
    ["cs3", record.correlation ?? undefined],
    ["cs4Label", "leaf"],
    ["cs4", record.leaf],
    ["cs5Label", "metadata"],
    ["cs5", JSON.stringify(record.meta)],
    ["cs6Label", record.payload === undefined ? undefined : "payload"],
    ["cs6", record.payload === undefined ? undefined : JSON.stringify(record.payload)],
    ["cn1Label", "sequence"],
    ["cn1", String(record.seq)],
  ];
  const pairs = extension.flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${extensionValue(value)}`],
  );
  return `${header.map(headerField).join("|")}|${pairs.join(" ")}`;
}

function outcomeOf(meta: unknown): string | undefined {
  const outcome = (meta as { outcome?: unknown } | null)?.outcome;
  return typeof outcome === "string" ? outcome : undefined;
}

/** In the header a bar ends the field, and a line break ends the event: there it cannot be written at all. */
function headerField(text: string): string {
  return text.replace(/[\\|]/g, "\\$&").replace(/[\r\n\u2028\u2029]+/g, " ");
}

/** In the extension an equals sign begins the next value, and line breaks have a written form. */
function extensionValue(text: string): string {
  return text.replace(/[\\=]/g, "\\$&").replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}
