import { type Checkpoint, checkpointHash, checkpointProblem } from "../checkpoint.ts";
import type { TrustedKey } from "../keys.ts";
import type { DamagedLine } from "../outside.ts";
import type { Findings } from "./report.ts";

export interface CheckpointLineOptions {
  /** Where these are kept, for messages: "in the database", "outside". */
  readonly where: string;
  readonly workspace: string;
  readonly checkpoints: AsyncIterable<Checkpoint | DamagedLine>;
  readonly trusted: ReadonlyMap<string, TrustedKey>;
  /** Those before this size are not held against anything. */
  readonly from: number;
  readonly findings: Findings;
}

const remembered = 4_096;

/**
 * A line of checkpoints, walked along with the records. Each names the one before by its hash, so the signature of the
 * last one vouches for all before it; only where the line is broken do others have to show theirs.
 */
export class CheckpointLine {
  readonly #options: CheckpointLineOptions;
  readonly #source: AsyncIterator<Checkpoint | DamagedLine>;
  #current: Checkpoint | undefined;
  #differs = false;
  /** Signatures of the last few. */
  readonly #seen = new Set<string>();
  checked = 0;
  /** The size of the largest checkpoint seen. */
  reached = 0;

  constructor(options: CheckpointLineOptions) {
    this.#options = options;
    this.#source = options.checkpoints[Symbol.asyncIterator]();
  }

  /** The size at which the next checkpoint is due; undefined after the last. */
  get due(): number | undefined {
    return this.#current?.size;
  }

  async open(): Promise<void> {
    await this.#advance(undefined);
  }

  /** The tree has reached the size that is due. */
  async hold(root: string): Promise<void> {
    const checkpoint = this.#current;
    if (checkpoint === undefined) return;
    this.checked++;
    if (checkpoint.root !== root && !this.#differs) {
      // Every later root differs as well, and says nothing new.
      this.#differs = true;
      this.#options.findings.add(
        "root_differs",
        `The records up to ${checkpoint.size} are not those of the checkpoint signed ${this.#options.where}.`,
        { seq: checkpoint.size - 1 },
      );
    }
    await this.#advance(checkpoint);
  }

  /** Looks at what is left, for which there are no records. */
  async close(): Promise<void> {
    while (this.#current !== undefined) await this.#advance(this.#current);
    await this.#source.return?.();
  }

  async #advance(previous: Checkpoint | undefined): Promise<void> {
    const { findings, workspace, from, where } = this.#options;
    for (;;) {
      const { value, done } = await this.#source.next();
      if (done) {
        this.#current = undefined;
        if (previous) this.#checkSignature(previous);
        return;
      }
      if ("damaged" in value) {
        findings.add("checkpoint_damaged", `${value.damaged}.`);
        continue;
      }
      if (value.size < from) continue;
      // A crash, or two nodes on one home, can write a line twice.
      if (this.#seen.has(value.signature)) continue;
      this.#see(value.signature);
      this.#checkLink(previous, value);
      if (value.size <= (previous?.size ?? 0)) {
        findings.add(
          "checkpoint_unlinked",
          `A checkpoint at ${value.size} ${where} follows one at ${previous?.size}.`,
        );
        this.#checkSignature(value);
        continue;
      }
      if (value.workspace !== workspace) {
        findings.add("checkpoint_unlinked", `A checkpoint ${where} belongs to workspace ${value.workspace}.`);
      }
      this.#current = value;
      this.reached = value.size;
      return;
    }
  }

  #see(signature: string): void {
    this.#seen.add(signature);
    const [oldest] = this.#seen;
    if (this.#seen.size > remembered && oldest !== undefined) this.#seen.delete(oldest);
  }

  #checkLink(previous: Checkpoint | undefined, next: Checkpoint): void {
    const { findings, from, where } = this.#options;
    // Where the walk begins in the middle, the first one's predecessor is not looked at.
    if (previous === undefined && from > 0) return;
    if (next.previous === (previous ? checkpointHash(previous) : null)) return;
    if (next.size <= (previous?.size ?? 0)) return;
    findings.add(
      "checkpoint_unlinked",
      `The checkpoint at ${next.size} ${where} does not continue ${previous ? `the one at ${previous.size}` : "from nothing"}: one is missing or was changed.`,
    );
    if (previous) this.#checkSignature(previous);
  }

  #checkSignature(checkpoint: Checkpoint): void {
    const { findings, trusted, where } = this.#options;
    const problem = checkpointProblem(checkpoint, trusted);
    if (problem === "key_unknown") {
      findings.add(
        "checkpoint_key_unknown",
        `The checkpoint at ${checkpoint.size} ${where} is signed with the key ${checkpoint.key}, which is not trusted here.`,
      );
    } else if (problem) {
      findings.add(
        "checkpoint_signature_wrong",
        `The signature of the checkpoint at ${checkpoint.size} ${where} is wrong.`,
      );
    }
  }
}
