import type { LedgerRecordsTable } from "#platform/store";
import { leafHash, payloadDigest } from "../seal.ts";
import type { Findings } from "./report.ts";

/** Looks at records one by one, in the order of the chain. */
export class RecordCheck {
  readonly #findings: Findings;
  readonly #workspace: string;
  /** Records without their payload, by id, and the erasure that is said to have taken it. */
  readonly #unproven = new Map<string, { seq: number; erasure: string }>();
  erased = 0;

  constructor(workspace: string, findings: Findings) {
    this.#workspace = workspace;
    this.#findings = findings;
  }

  /** The erasures that the chain has yet to show. */
  get awaited(): string[] {
    return [...new Set([...this.#unproven.values()].map(({ erasure }) => erasure))];
  }

  /** `placed` is the leaf that was put at this place. Returns the leaf that the record has. */
  check(row: LedgerRecordsTable, seq: number, placed: string | undefined): string {
    const { id } = row;
    const leaf = leafHash(row);
    this.#checkPayload(row, seq);
    if (row.workspace_id !== this.#workspace) {
      this.#findings.add("record_moved", `Record ${id} belongs to workspace ${row.workspace_id}.`, {
        seq,
        id,
      });
    }
    if (placed !== undefined && leaf !== placed) {
      if (leaf === row.leaf) {
        const message = `Record ${id} at ${seq} is not the one that was placed there: it was moved, swapped or put in later.`;
        this.#findings.add("record_moved", message, { seq, id });
      } else {
        this.#findings.add("record_changed", `Record ${id} at ${seq} was changed after it was written.`, {
          seq,
          id,
        });
      }
    } else if (leaf !== row.leaf) {
      const changed = placed === undefined ? "record_changed" : "leaf_changed";
      this.#findings.add(changed, `The leaf hash kept with record ${id} at ${seq} is not its own.`, {
        seq,
        id,
      });
    }
    if (row.kind === "erasure" && (placed === undefined || leaf === placed)) this.#acknowledge(row, seq);
    return leaf;
  }

  /** A record that has no place yet has only itself to be held against. */
  checkWaiting(row: LedgerRecordsTable): void {
    const { id } = row;
    const state = payloadState(row);
    if (leafHash(row) !== row.leaf || state === "changed" || state === "erased") {
      const message = `Record ${id}, which waits for its place, was changed after it was written.`;
      this.#findings.add("waiting_changed", message, { id });
    }
  }

  /** An erasure that is committed and waits for its place will come after whatever it names. */
  checkWaitingErasure(row: LedgerRecordsTable): void {
    if (row.kind === "erasure" && leafHash(row) === row.leaf)
      this.#acknowledge(row, Number.POSITIVE_INFINITY);
  }

  /** A record that comes a second time, with the same leaf as the first time. */
  checkAgain(row: LedgerRecordsTable, seq: number): void {
    const { id } = row;
    if (leafHash(row) !== row.leaf || payloadState(row) === "changed") {
      this.#findings.add("record_changed", `Record ${id} at ${seq} comes twice, changed.`, { seq, id });
    }
  }

  close(): void {
    for (const [id, { seq, erasure }] of this.#unproven) {
      this.#findings.add(
        "erasure_unproven",
        `Record ${id} at ${seq} has no personal fields left, and no erasure after it in the chain names it${erasure ? ` (it names ${erasure})` : ""}.`,
        { seq, id },
      );
    }
  }

  #checkPayload(row: LedgerRecordsTable, seq: number): void {
    const { id } = row;
    const state = payloadState(row);
    if (state === "erased") {
      this.erased++;
      this.#unproven.set(id, { seq, erasure: row.erasure_id ?? "" });
    } else if (state === "changed") {
      const message = `The personal fields of record ${id} at ${seq} are not those that were written.`;
      this.#findings.add("payload_changed", message, { seq, id });
    } else if (row.erasure_id !== null) {
      this.#findings.add("payload_changed", `Record ${id} at ${seq} says that it was erased, and is not.`, {
        seq,
        id,
      });
    }
  }

  #acknowledge(row: LedgerRecordsTable, seq: number): void {
    for (const named of erasedIn(row.meta)) {
      const found = this.#unproven.get(named);
      if (found && found.erasure === row.id && found.seq < seq) this.#unproven.delete(named);
    }
  }
}

function payloadState({
  payload,
  salt,
  subject,
  digest,
}: LedgerRecordsTable): "none" | "whole" | "erased" | "changed" {
  if (payload === null && salt === null && subject === null) return digest === null ? "none" : "erased";
  if (payload === null || salt === null || digest === null) return "changed";
  return payloadDigest(salt, payload, subject) === digest ? "whole" : "changed";
}

function erasedIn(meta: string): string[] {
  try {
    const { erased } = JSON.parse(meta) as { erased?: unknown };
    return Array.isArray(erased)
      ? erased.flatMap((one: { id?: unknown }) => (typeof one?.id === "string" ? [one.id] : []))
      : [];
  } catch {
    return [];
  }
}
