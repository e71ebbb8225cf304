import type { Json } from "#domain/contracts/schema/structure";

/** A question: is there a value that satisfies all of these, and none of those? By the numbers of classes. */
export interface Formula {
  readonly all: readonly number[];
  readonly none: readonly number[];
  /** Single values that will not do. */
  readonly excluded?: readonly Json[];
}

/** `empty` is certain. A `value` was checked. `unknown` is neither. */
export type Answer =
  | { readonly kind: "empty" }
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "unknown" };

export const empty: Answer = { kind: "empty" };
export const unknown: Answer = { kind: "unknown" };

/** Asks for parts of a value. */
export type Solve = (formula: Formula) => Answer;

/** The first value there is; without one, `empty` only if every answer says so. */
export function firstOf(answers: Iterable<Answer>): Answer {
  let best = empty;
  for (const answer of answers) {
    if (answer.kind === "value") return answer;
    if (answer.kind === "unknown") best = answer;
  }
  return best;
}
