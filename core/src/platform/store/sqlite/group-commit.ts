import { type Connection, Statements } from "./connection.ts";
import { empty, type Failure, failures, type Reply, toFailure, type WriterRequest } from "./protocol.ts";

export interface GroupCommitOptions {
  /** Sends answers to the callers. */
  readonly reply: (replies: Reply[]) => void;
  /** Requests that arrived meanwhile: looked at before a group is closed, so that they can still join it. */
  readonly arrived?: () => readonly WriterRequest[];
  readonly closed?: () => void;
  readonly idleInTransactionMs: number;
  /** A group is closed when this many are in it, or when its first has waited this long. */
  readonly maxGroup?: number;
  readonly maxGroupMs?: number;
}

type Step = Extract<WriterRequest, { kind: "step" }>;
type End = Extract<WriterRequest, { kind: "end" }>;
type Run = Extract<WriterRequest, { kind: "run" }>;

/** A transaction led by a caller: its requests wait here until it is its turn. */
interface Led {
  readonly id: number;
  readonly requests: (Step | End)[];
  open: boolean;
  failed: boolean;
  /** How much longer it may keep the writer waiting. */
  patience: number;
  waitingSince: number;
}

/**
 * The one writer. Transactions run one after another, each in a savepoint of a shared outer transaction; whoever
 * succeeded is answered after the outer commit, so that one sync of the disk serves the whole group. One that
 * fails goes back to its savepoint and takes nobody with it.
 */
export class GroupCommit {
  readonly #db: Connection;
  readonly #statements: Statements;
  readonly #verbs: ReturnType<typeof verbs>;
  readonly #options: Required<GroupCommitOptions>;
  readonly #queue: (Run | Led)[] = [];
  readonly #led = new Map<number, Led>();
  /** Transactions that were ended for their caller, until the caller has learned why. */
  readonly #gone = new Map<number, Failure>();
  #current: Led | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Answers that become true with the outer commit. */
  #group: Reply[] = [];
  #groupStarted = 0;
  /** Answers that need no commit. */
  #answers: Reply[] = [];

  constructor(db: Connection, options: GroupCommitOptions) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.#verbs = verbs(db);
    this.#options = { arrived: () => [], closed: () => {}, maxGroup: 1_000, maxGroupMs: 5, ...options };
  }

  receive(requests: readonly WriterRequest[]): void {
    this.#accept(requests);
    this.#work();
    this.#send();
  }

  #accept(requests: readonly WriterRequest[]): void {
    for (const request of requests) {
      if (request.kind === "run") this.#queue.push(request);
      else if (request.kind === "step" || request.kind === "end") this.#acceptLed(request);
      else if (request.kind === "ping") this.#ping(request.id);
      else this.#close(request.id);
    }
  }

  #ping(id: number): void {
    try {
      this.#verbs.look.get();
      this.#answers.push({ id, result: empty });
    } catch (thrown) {
      this.#answers.push({ id, failure: toFailure(thrown) });
    }
  }

  /** The last request there is: whoever sends it has waited for the answers to all others. */
  #close(id: number): void {
    this.#db.close();
    this.#options.reply([{ id, result: empty }]);
    this.#options.closed();
  }

  #acceptLed(request: Step | End): void {
    const known = this.#led.get(request.transaction);
    if (known !== undefined) {
      known.requests.push(request);
    } else if (request.kind === "step" && request.first) {
      const led: Led = {
        id: request.transaction,
        requests: [request],
        open: false,
        failed: false,
        patience: this.#options.idleInTransactionMs,
        waitingSince: 0,
      };
      this.#led.set(led.id, led);
      this.#queue.push(led);
    } else {
      this.#answerGone(request);
    }
  }

  #answerGone(request: Step | End): void {
    const failure = this.#gone.get(request.transaction) ?? aborted;
    if (request.kind === "end") this.#gone.delete(request.transaction);
    const asWished = request.kind === "end" && !request.commit;
    this.#answers.push(asWished ? { id: request.id, result: empty } : { id: request.id, failure });
  }

  #work(): void {
    for (;;) {
      if (this.#current !== undefined && !this.#lead(this.#current)) return;
      if (this.#groupIsFull()) this.#commit();
      if (this.#queue.length === 0) this.#accept(this.#options.arrived());
      const next = this.#queue.shift();
      if (next === undefined) break;
      if (!this.#db.inTransaction && !this.#begin(next)) break;
      if ("kind" in next) this.#run(next);
      else this.#current = next;
    }
    this.#commit();
  }

  #begin(next: Run | Led): boolean {
    try {
      this.#verbs.begin.run();
      this.#groupStarted = performance.now();
      return true;
    } catch (thrown) {
      // Whatever stands in the way of this one stands in the way of those behind it.
      const failure = toFailure(thrown);
      for (const waiting of [next, ...this.#queue.splice(0)]) this.#refuse(waiting, failure);
      return false;
    }
  }

  #refuse(waiting: Run | Led, failure: Failure): void {
    if ("kind" in waiting) {
      this.#answers.push({ id: waiting.id, failure });
      return;
    }
    this.#led.delete(waiting.id);
    for (const request of waiting.requests) this.#answers.push({ id: request.id, failure });
  }

  #groupIsFull(): boolean {
    if (this.#group.length === 0) return false;
    return (
      this.#group.length >= this.#options.maxGroup ||
      performance.now() - this.#groupStarted >= this.#options.maxGroupMs
    );
  }

  #run({ id, statements }: Run): void {
    const [only] = statements;
    try {
      if (statements.length === 1 && only !== undefined) {
        // A single statement is all or nothing by itself.
        this.#group.push({ id, result: this.#statements.execute(only) });
      } else {
        this.#verbs.savepoint.run();
        for (const statement of statements) this.#statements.execute(statement);
        this.#verbs.release.run();
        this.#group.push({ id, result: empty });
      }
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (statements.length !== 1) this.#backToSavepoint();
      this.#answers.push({ id, failure });
      this.#checkOuter(failure);
      return;
    }
    this.#checkOuter(endedEarly);
  }

  /** Runs what the transaction has asked for so far. Says whether it is over. */
  #lead(led: Led): boolean {
    clearTimeout(this.#timer);
    if (led.open) led.patience -= performance.now() - led.waitingSince;
    for (let request = led.requests.shift(); request !== undefined; request = led.requests.shift()) {
      if (request.kind === "end") {
        this.#end(led, request);
        return true;
      }
      this.#step(led, request);
      if (this.#current === undefined) return true;
    }
    if (led.patience <= 0) {
      this.#abandon(led);
      return true;
    }
    led.waitingSince = performance.now();
    this.#timer = setTimeout(() => {
      this.#abandon(led);
      this.#work();
      this.#send();
    }, led.patience);
    return false;
  }

  #step(led: Led, { id, statement, recovers }: Step): void {
    if (led.failed && !recovers) {
      this.#answers.push({ id, failure: aborted });
      return;
    }
    try {
      if (!led.open) {
        this.#verbs.savepoint.run();
        led.open = true;
      }
      this.#answers.push({ id, result: this.#statements.execute(statement) });
      led.failed = false;
    } catch (thrown) {
      // As on PostgreSQL: after a failure nothing but going back is left, so both behave alike.
      led.failed = true;
      const failure = toFailure(thrown);
      this.#answers.push({ id, failure });
      this.#checkOuter(failure);
      return;
    }
    this.#checkOuter(endedEarly);
  }

  #end(led: Led, { id, commit }: End): void {
    this.#forget(led);
    if (commit && !led.failed) {
      this.#verbs.release.run();
      this.#group.push({ id, result: empty });
      return;
    }
    if (led.open) this.#backToSavepoint();
    this.#answers.push(commit ? { id, failure: aborted } : { id, result: empty });
  }

  #abandon(led: Led): void {
    this.#forget(led);
    this.#gone.set(led.id, {
      code: failures.idle,
      message: `it kept the writer waiting for ${this.#options.idleInTransactionMs} ms`,
    });
    this.#backToSavepoint();
  }

  #forget(led: Led): void {
    clearTimeout(this.#timer);
    this.#led.delete(led.id);
    this.#current = undefined;
  }

  #backToSavepoint(): void {
    // Some failures (a full disk, a failing one) have undone the outer transaction as well.
    if (!this.#db.inTransaction) return;
    this.#verbs.back.run();
    this.#verbs.release.run();
  }

  #commit(): void {
    if (!this.#db.inTransaction) return;
    try {
      this.#verbs.commit.run();
      this.#answers.push(...this.#group);
      this.#group = [];
    } catch (thrown) {
      if (this.#db.inTransaction) this.#db.exec("rollback");
      this.#lose(toFailure(thrown));
    }
    this.#send();
  }

  #checkOuter(failure: Failure): void {
    if (!this.#db.inTransaction) this.#lose(failure);
  }

  /** The outer transaction is gone, and with it everything that waited for its commit. */
  #lose(failure: Failure): void {
    for (const { id } of this.#group) this.#answers.push({ id, failure });
    this.#group = [];
    if (this.#current !== undefined) {
      const led = this.#current;
      this.#forget(led);
      this.#gone.set(led.id, failure);
      for (const request of led.requests) this.#answerGone(request);
    }
  }

  #send(): void {
    if (this.#answers.length === 0) return;
    const answers = this.#answers;
    this.#answers = [];
    this.#options.reply(answers);
  }
}

const aborted: Failure = { code: failures.aborted, message: "an earlier statement of it failed" };
const endedEarly: Failure = { code: failures.lost, message: "a statement ended the shared transaction" };

function verbs(db: Connection) {
  return {
    look: db.prepare("pragma schema_version"),
    begin: db.prepare("begin immediate"),
    commit: db.prepare("commit"),
    savepoint: db.prepare("savepoint stoa_transaction"),
    back: db.prepare("rollback to stoa_transaction"),
    release: db.prepare("release stoa_transaction"),
  };
}
