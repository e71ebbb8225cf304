import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toCef } from "./cef.ts";
import type { ExportedRecord } from "./export.ts";
import { toOtlp } from "./otlp.ts";

const record: ExportedRecord = {
  type: "record",
  seq: 7,
  id: "0190-1",
  workspace: "w",
  kind: "invocation",
  ts: 1_800_000_000_123,
  agent: "agent://a",
  correlation: "c=1|2",
  meta: { outcome: "ok", note: "a\\b=c\r\nd|e" },
  digest: "0".repeat(64),
  leaf: "1".repeat(64),
  subject: "ada=lovelace",
  payload: { args: [1, true, null, 1.5] },
  salt: "2".repeat(32),
};

/** The rules of CEF, backwards. */
function readCef(line: string): { header: string[]; extension: Record<string, string> } {
  const parts = line.match(/^((?:(?:\\.|[^\\|])*\|){7})(.*)$/s);
  const header = [...(parts?.[1] ?? "").matchAll(/((?:\\.|[^\\|])*)\|/g)].map((m) =>
    (m[1] ?? "").replace(/\\(.)/g, "$1"),
  );
  const extension: Record<string, string> = {};
  for (const [, key = "", value = ""] of (parts?.[2] ?? "").matchAll(
    /(\w+)=((?:\\.|[^\\=])*)(?= \w+=|$)/gs,
  )) {
    extension[key] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c === "r" ? "\r" : c));
  }
  return { header, extension };
}

describe("CEF", () => {
  test("a record is one line with everything in its place", () => {
    const line = toCef(record, "1.2.3");
    expect(
      line.startsWith(
        "CEF:0|Stoa|core|1.2.3|invocation|Capability invoked|3|rt=1800000000123 externalId=0190-1 ",
      ),
    ).toBe(true);
    expect(line).toContain("suser=ada\\=lovelace");
    expect(line).toContain("cs3=c\\=1|2");
    expect(readCef(line).extension).toMatchObject({
      cat: "invocation",
      outcome: "ok",
      cs1: "w",
      cs2: "agent://a",
      cs3: "c=1|2",
      cs5: JSON.stringify(record.meta),
      cs6: JSON.stringify(record.payload),
      cn1: "7",
    });
  });

  test("nothing in a record can end its field, its line or its event", () => {
    const nasty = fc.string({
      unit: fc.constantFrom("|", "\\", "=", "\n", "\r", " ", "a", "é", "CEF:0|", "cs1="),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (kind, agent, workspace) => {
        const line = toCef({ ...record, kind, agent, workspace }, "1|2\n3");
        expect(line).not.toMatch(/[\r\n]/);
        const { header, extension } = readCef(line);
        expect(header).toHaveLength(7);
        expect(header[3]).toBe("1|2 3");
        expect(header[4]).toBe(kind.replace(/[\r\n]+/g, " "));
        expect(extension).toMatchObject({ cat: kind, cs1: workspace, cs2: agent, cn1: "7" });
      }),
      { numRuns: 500 },
    );
  });
});

describe("OTLP", () => {
  test("a batch of records is one request", () => {
    const request = JSON.parse(
      JSON.stringify(toOtlp([record, { ...record, kind: "erasure", agent: null }], "1.2.3")),
    );
    const [first, second] = request.resourceLogs[0].scopeLogs[0].logRecords;
    expect(first).toMatchObject({
      timeUnixNano: "1800000000123000000",
      severityNumber: 9,
      severityText: "INFO",
      eventName: "stoa.invocation",
      body: { stringValue: "Capability invoked" },
    });
    expect(first.attributes).toEqual(
      expect.arrayContaining([
        { key: "stoa.record.seq", value: { intValue: "7" } },
        { key: "stoa.agent", value: { stringValue: "agent://a" } },
        {
          key: "stoa.payload",
          value: {
            kvlistValue: {
              values: [
                {
                  key: "args",
                  value: {
                    arrayValue: {
                      values: [{ intValue: "1" }, { boolValue: true }, {}, { doubleValue: 1.5 }],
                    },
                  },
                },
              ],
            },
          },
        },
      ]),
    );
    expect(second.severityText).toBe("WARN");
    expect(second.attributes.map(({ key }: { key: string }) => key)).not.toContain("stoa.agent");
  });
});
