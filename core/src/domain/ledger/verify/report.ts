/** What a verification can find. */
export type ProblemCode =
  | "record_changed"
  | "record_moved"
  | "record_missing"
  | "record_unsigned"
  | "leaf_changed"
  | "payload_changed"
  | "erasure_unproven"
  | "waiting_changed"
  | "tree_changed"
  | "tail_cut"
  | "root_differs"
  | "checkpoint_key_unknown"
  | "checkpoint_signature_wrong"
  | "checkpoint_unlinked"
  | "checkpoint_damaged"
  | "outside_behind"
  | "export_damaged";

export interface Problem {
  readonly code: ProblemCode;
  /** One line that says what is wrong. */
  readonly message: string;
  readonly seq?: number;
  readonly id?: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly workspace: string;
  /** The first record that was looked at; 0 unless a checkpoint was named to start from. */
  readonly from: number;
  /** Records in the chain. */
  readonly size: number;
  readonly root: string;
  /** How many of them have lost their personal fields to an erasure that the chain names. */
  readonly erased: number;
  /** Records that are committed and not yet in the chain: they have no signature over them. */
  readonly waiting: number;
  /** Signed checkpoints that were held against the records, in the database or the export, and outside of it. */
  readonly checkpoints: number;
  readonly outside: number;
  /** The first of them, in the order in which they were found. */
  readonly problems: Problem[];
  readonly problemCount: number;
  /** What is no problem and worth knowing. */
  readonly notes: string[];
}

export interface Progress {
  readonly unit: "records" | "bytes";
  readonly checked: number;
  readonly total: number;
}

const most = 100;

/** Collects what was found; keeps the first problems and counts the rest. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly notes: string[] = [];
  count = 0;

  add(code: ProblemCode, message: string, where: { seq?: number; id?: string } = {}): void {
    this.count++;
    if (this.problems.length < most) this.problems.push({ code, message, ...where });
  }
}
