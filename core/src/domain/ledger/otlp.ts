import type { ExportedRecord } from "./export.ts";
import { isRecordKind, kinds } from "./kinds.ts";

type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: KeyValue[] } }
  | Record<string, never>;
interface KeyValue {
  key: string;
  value: AnyValue;
}

/** Records as the body of an OTLP/HTTP request for logs, in OTLP's JSON form. */
export function toOtlp(records: readonly ExportedRecord[], version: string): object {
  return {
    resourceLogs: [
      {
        resource: {
          attributes: keyValues({ "service.name": "stoa", "service.version": version }),
        },
        scopeLogs: [{ scope: { name: "stoa.ledger", version }, logRecords: records.map(toLogRecord) }],
      },
    ],
  };
}

function toLogRecord(record: ExportedRecord): object {
  const kind = isRecordKind(record.kind) ? kinds[record.kind] : undefined;
  // Milliseconds to nanoseconds in text: as a number they would lose their last digits.
  const time = `${record.ts}000000`;
  const serious = (kind?.severity ?? 5) >= 5;
  return {
    timeUnixNano: time,
    observedTimeUnixNano: time,
    severityNumber: serious ? 13 : 9,
    severityText: serious ? "WARN" : "INFO",
    eventName: `stoa.${record.kind}`,
    body: { stringValue: kind?.title ?? record.kind },
    attributes: keyValues({
      "stoa.record.id": record.id,
      "stoa.record.kind": record.kind,
      "stoa.record.seq": record.seq,
      "stoa.record.leaf": record.leaf,
      "stoa.workspace": record.workspace,
      "stoa.agent": record.agent ?? undefined,
      "stoa.correlation": record.correlation ?? undefined,
      "enduser.id": record.subject,
      "stoa.record.erased_by": record.erasedBy,
      "stoa.meta": record.meta,
      "stoa.payload": record.payload,
    }),
  };
}

function keyValues(object: object): KeyValue[] {
  return Object.entries(object).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: unknown): AnyValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  // 64-bit integers are text in OTLP's JSON.
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === "object" && value !== null) return { kvlistValue: { values: keyValues(value) } };
  return {};
}
