import { open, stat } from "node:fs/promises";
import { messageOf, StoaError } from "#platform/errors";
import type { LedgerRecordsTable } from "#platform/store";
import type { Checkpoint } from "../checkpoint.ts";
import {
  type ExportedRecord,
  type ExportHeader,
  type ExportLine,
  exportLineSchema,
  fromExported,
} from "../export.ts";
import { parsePublicKeys, type TrustedKey } from "../keys.ts";
import { linesOf } from "../lines.ts";
import { Edge } from "../merkle/index.ts";
import { CheckpointLine } from "./checkpoint-line.ts";
import { RecordCheck } from "./record-check.ts";
import { Findings, type Progress, type VerifyReport } from "./report.ts";
import { type Stretch, walk } from "./walk.ts";

export interface VerifyFileOptions {
  readonly path: string;
  /** Keys that came another way than with the file; without them its own are used, and the report says so. */
  readonly trusted?: readonly TrustedKey[] | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An export goes on where its cursor stood, so after a crash some lines come twice: this many are recognised. */
const remembered = 4_096;
const stretchLength = 1_024;

/** Verifies an export by itself: no database, no home. */
export async function verifyFile({
  path,
  trusted,
  onProgress,
  signal,
}: VerifyFileOptions): Promise<VerifyReport> {
  const findings = new Findings();
  const header = await readHeader(path);
  const keys = trusted ?? header.keys.flatMap((pem) => parsePublicKeys(pem, path));
  if (trusted === undefined) {
    findings.notes.push(
      `Verified with the key in the file itself (${keys.map((key) => key.id).join(", ") || "none"}): name one that you got another way.`,
    );
  }
  const edge = Edge.fromPeaks(header.from, header.peaks);
  const check = new RecordCheck(header.workspace, findings);
  const line = new CheckpointLine({
    where: "in the file",
    workspace: header.workspace,
    checkpoints: checkpointsIn(path),
    trusted: new Map(keys.map((key) => [key.id, key])),
    from: header.from,
    findings,
  });
  await line.open();
  const read = { bytes: 0 };
  const { size } = await stat(path);
  await walk(stretches(path, header, check, findings, read), {
    edge,
    records: check,
    lines: [line],
    findings,
    onProgress: () => onProgress?.({ unit: "bytes", checked: read.bytes, total: size }),
    signal,
  });
  await line.close();
  if (line.reached > edge.size) {
    findings.add(
      "tail_cut",
      `${line.reached} records were signed, and the file ends at ${edge.size}: its end is cut off.`,
    );
  }
  const covered = Math.max(line.reached, header.from);
  if (edge.size > covered) {
    findings.add(
      "record_unsigned",
      `The records from ${covered} to ${edge.size - 1} are not covered by a checkpoint in the file; export further if it was cut short.`,
      { seq: covered },
    );
  }
  check.close();
  return {
    ok: findings.count === 0,
    workspace: header.workspace,
    from: header.from,
    size: edge.size,
    root: edge.root,
    erased: check.erased,
    waiting: 0,
    checkpoints: line.checked,
    outside: 0,
    problems: findings.problems,
    problemCount: findings.count,
    notes: findings.notes,
  };
}

async function* stretches(
  path: string,
  header: ExportHeader,
  check: RecordCheck,
  findings: Findings,
  read: { bytes: number },
): AsyncGenerator<Stretch> {
  const seen = new Map<number, string>();
  let next = header.from;
  let rows: LedgerRecordsTable[] = [];
  const flush = (): Stretch => {
    const stretch = { from: next - rows.length, placed: rows.map((row) => row.leaf), rows };
    rows = [];
    return stretch;
  };
  for await (const { line, number, bytes } of exportLines(path)) {
    read.bytes += bytes;
    const row = line?.type === "record" ? rowOf(line) : undefined;
    if (line === undefined || (line.type === "record" && row === undefined)) {
      findings.add("export_damaged", `${path}:${number} is no line of an export.`);
    } else if (line.type === "header" && line.workspace !== header.workspace) {
      findings.add(
        "export_damaged",
        `${path}:${number} begins the ledger of another workspace, ${line.workspace}.`,
      );
    } else if (line.type === "record" && row !== undefined && line.seq < next) {
      const before = seen.get(line.seq);
      // The same record again is what a resumed export looks like; another one in its place is not.
      if (before === line.leaf) check.checkAgain(row, line.seq);
      else
        findings.add("export_damaged", `${path}:${number} repeats place ${line.seq} with another record.`, {
          seq: line.seq,
        });
    } else if (line.type === "record" && row !== undefined) {
      if (line.seq > next) {
        if (rows.length > 0) yield flush();
        yield { from: next, placed: [undefined], rows: [] };
        return;
      }
      rows.push(row);
      seen.set(line.seq, line.leaf);
      seen.delete(line.seq - remembered);
      next++;
      if (rows.length === stretchLength) yield flush();
    }
  }
  if (rows.length > 0) yield flush();
}

async function* checkpointsIn(path: string): AsyncGenerator<Checkpoint> {
  for await (const { line } of exportLines(path)) {
    if (line?.type !== "checkpoint") continue;
    const { type: _, ...checkpoint } = line;
    yield checkpoint;
  }
}

async function readHeader(path: string): Promise<ExportHeader> {
  for await (const { line } of exportLines(path)) {
    if (line?.type !== "header") break;
    const bits = line.from.toString(2).replaceAll("0", "").length;
    if (line.peaks.length !== bits) break;
    return line;
  }
  throw new StoaError(
    "FILE_INVALID",
    `${path}:1 is not the header of a ledger export. Make one with \`stoa audit export --format jsonl\`.`,
  );
}

interface NumberedLine {
  readonly line: ExportLine | undefined;
  readonly number: number;
  readonly bytes: number;
}

async function* exportLines(path: string): AsyncGenerator<NumberedLine> {
  const file = await open(path).catch((error) => {
    throw new StoaError("FILE_INVALID", `${path} cannot be read: ${messageOf(error)}.`, { cause: error });
  });
  try {
    let number = 0;
    for await (const { text } of linesOf(file.createReadStream({ autoClose: false }))) {
      number++;
      if (text !== "") yield { line: parse(text), number, bytes: Buffer.byteLength(text) + 1 };
    }
  } finally {
    await file.close();
  }
}

function rowOf(line: ExportedRecord): LedgerRecordsTable | undefined {
  try {
    return fromExported(line);
  } catch {
    return undefined;
  }
}

function parse(text: string): ExportLine | undefined {
  try {
    const parsed = exportLineSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
