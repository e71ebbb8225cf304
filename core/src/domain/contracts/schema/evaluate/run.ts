import { pointer } from "#domain/contracts/pointer";
import { limits } from "../limits.ts";
import { quote } from "../messages.ts";
import type { Violation } from "../types.ts";

/** The value asks for more work than the budget has, or nests deeper than the stack should. */
export class TooMuchWork extends Error {
  static steps(): TooMuchWork {
    return new TooMuchWork("checking this value takes more steps than are allowed");
  }
  static depth(): TooMuchWork {
    return new TooMuchWork("the value is nested too deeply to be checked");
  }
  static violations(): TooMuchWork {
    return new TooMuchWork(`only the first ${limits.violations} violations are listed`);
  }
}

/** Which properties and items some subschema has looked at: what `unevaluated…` leaves alone. */
export class Marks {
  readonly properties = new Set<string>();
  readonly items = new Set<number>();
  /** Items before this index. */
  upTo = 0;

  add(other: Marks): void {
    for (const key of other.properties) this.properties.add(key);
    for (const index of other.items) this.items.add(index);
    this.upTo = Math.max(this.upTo, other.upTo);
  }
}

/** One walk over one value: where it is, what it has found, and what it may still spend. */
export class Run {
  readonly violations: Violation[] = [];
  readonly tracksMarks: boolean;
  /** Whether to go on after a violation and list them all. */
  explaining: boolean;
  readonly #at: (string | number)[] = [];
  #steps: number = limits.walkSteps;
  readonly #quotes = new Map<object, string>();
  #depth = 0;

  constructor(options: { explain: boolean; tracksMarks: boolean }) {
    this.explaining = options.explain;
    this.tracksMarks = options.tracksMarks;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw TooMuchWork.steps();
  }

  enter(): void {
    this.spend(1);
    if (++this.#depth > limits.checkDepth) throw TooMuchWork.depth();
  }

  leave(): void {
    this.#depth--;
  }

  /** Records a violation here, or at a place below. */
  fail(message: string, ...below: (string | number)[]): false {
    if (!this.explaining) return false;
    if (this.violations.length >= limits.violations) throw TooMuchWork.violations();
    this.violations.push({ path: pointer([...this.#at, ...below]), message });
    return false;
  }

  /** A value in a message. The text of a large one is made once, however often it is spoken of. */
  quoted(value: unknown): string {
    if (typeof value !== "object" || value === null) return quote(value);
    const known = this.#quotes.get(value) ?? quote(value);
    this.#quotes.set(value, known);
    return known;
  }

  /** Goes to an item or property of the value. */
  down(key: string | number): void {
    this.#at.push(key);
  }

  up(): void {
    this.#at.pop();
  }

  /** All checks hold. Where violations are listed, each check is made; otherwise the first failure ends it. */
  every<T>(items: Iterable<T>, check: (item: T) => boolean): boolean {
    let valid = true;
    for (const item of items) {
      if (check(item)) continue;
      if (!this.explaining) return false;
      valid = false;
    }
    return valid;
  }
}
