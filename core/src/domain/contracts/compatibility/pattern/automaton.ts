import type { CodePoints, Expression } from "#domain/contracts/schema/structure";

export type Instruction =
  | { readonly kind: "set"; readonly set: CodePoints; readonly next: number }
  | { readonly kind: "split"; readonly next: readonly number[] }
  | { readonly kind: "assert"; readonly what: Assertion; readonly next: number }
  | { readonly kind: "match" };
export type Assertion = "start" | "end" | "boundary" | "notBoundary";

/** What a position in the text is like: what comes before it and what after. */
export interface Position {
  readonly start: boolean;
  readonly end: boolean;
  readonly wordBefore: boolean;
  readonly wordAfter: boolean;
}

export class TooLarge extends Error {}
const maxInstructions = 5_000;

/** An expression as a program of simple steps, which can be run on all its threads at once. */
export class Program {
  readonly instructions: Instruction[] = [];
  readonly start: number;

  constructor(expression: Expression) {
    const match = this.#add({ kind: "match" });
    this.start = this.#compile(expression, match);
  }

  /** The threads that wait for a character, from those given, and whether one has reached the end. */
  waiting(threads: Iterable<number>, at: Position): { threads: number[]; matched: boolean } {
    const seen = new Set(threads);
    const waiting: number[] = [];
    let matched = false;
    for (const thread of seen) {
      const instruction = this.instructions[thread];
      if (instruction?.kind === "match") matched = true;
      else if (instruction?.kind === "set") waiting.push(thread);
      else if (instruction?.kind === "split") for (const next of instruction.next) seen.add(next);
      else if (instruction && holdsAt(instruction.what, at)) seen.add(instruction.next);
    }
    return { threads: waiting, matched };
  }

  #add(instruction: Instruction): number {
    if (this.instructions.length >= maxInstructions) throw new TooLarge();
    return this.instructions.push(instruction) - 1;
  }

  /** Built from the end, so that each step knows the next. */
  #compile(expression: Expression, next: number): number {
    switch (expression.kind) {
      case "set":
        return this.#add({ kind: "set", set: expression.set, next });
      case "sequence":
        return expression.items.reduceRight((after, item) => this.#compile(item, after), next);
      case "choice":
        return this.#add({ kind: "split", next: expression.items.map((item) => this.#compile(item, next)) });
      case "repeat":
        return this.#repeat(expression, next);
      default:
        return this.#add({ kind: "assert", what: expression.kind, next });
    }
  }

  #repeat({ item, min, max }: Extract<Expression, { kind: "repeat" }>, next: number): number {
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      const choices: number[] = [];
      start = this.#add({ kind: "split", next: choices });
      choices.push(this.#compile(item, start), next);
    } else {
      for (let i = min; i < max; i++) {
        start = this.#add({ kind: "split", next: [this.#compile(item, start), next] });
      }
    }
    for (let i = 0; i < min; i++) start = this.#compile(item, start);
    return start;
  }
}

function holdsAt(what: Assertion, at: Position): boolean {
  switch (what) {
    case "start":
      return at.start;
    case "end":
      return at.end;
    case "boundary":
      return at.wordBefore !== at.wordAfter;
    case "notBoundary":
      return at.wordBefore === at.wordAfter;
  }
}
