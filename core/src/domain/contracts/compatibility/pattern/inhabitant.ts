import { alphabetOf, contains, type Letter } from "./alphabet.ts";
import { type Program, TooLarge } from "./automaton.ts";

export interface TextDemands {
  readonly matching: readonly Program[];
  readonly notMatching: readonly Program[];
  readonly minLength: number;
  readonly maxLength: number;
  /** Texts that will not do, for other reasons. */
  readonly isExcluded: (text: string) => boolean;
}

export type TextAnswer =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unknown" };

/** How many states of all programs together are looked at before giving up. */
const maxStates = 4_000;

/** The threads of one program, or that it has matched, which nothing that follows can undo. */
type Threads = readonly number[] | "matched";

interface State {
  readonly threads: readonly Threads[];
  readonly wordBefore: boolean;
  readonly length: number;
  readonly from: State | undefined;
  readonly by: number;
}

/**
 * A shortest text that matches some patterns and does not match others, or the certainty that there is none:
 * all programs run side by side, over all texts at once.
 */
export function findText(demands: TextDemands): TextAnswer {
  const programs = [...demands.matching, ...demands.notMatching];
  let letters: Letter[];
  try {
    letters = alphabetOf(programs);
  } catch (thrown) {
    if (thrown instanceof TooLarge) return { kind: "unknown" };
    throw thrown;
  }
  const wanted = demands.matching.length;
  const fits = (threads: readonly Threads[]) =>
    threads.every((each, i) => (each === "matched") === i < wanted);
  const hopeless = (threads: readonly Threads[]) =>
    threads.some((each, i) => each === "matched" && i >= wanted);
  const start: State = {
    threads: programs.map((program) => [program.start]),
    wordBefore: false,
    length: 0,
    from: undefined,
    by: 0,
  };
  const seen = new Set([keyOf(start, demands.minLength)]);
  const queue = [start];
  let passedOver = false;
  for (const state of queue) {
    if (state.length >= demands.minLength && fits(step(programs, state, undefined))) {
      const text = textOf(state);
      if (!demands.isExcluded(text)) return { kind: "text", text };
      passedOver = true;
    }
    if (state.length >= demands.maxLength) continue;
    for (const letter of letters) {
      const threads = step(programs, state, letter);
      if (hopeless(threads)) continue;
      const next: State = {
        threads,
        wordBefore: letter.word,
        length: state.length + 1,
        from: state,
        by: letter.point,
      };
      const key = keyOf(next, demands.minLength);
      if (seen.has(key)) continue;
      if (seen.size >= maxStates) return { kind: "unknown" };
      seen.add(key);
      queue.push(next);
    }
  }
  return { kind: passedOver ? "unknown" : "empty" };
}

/** Reads one letter, or the end of the text, in every program. */
function step(programs: readonly Program[], state: State, letter: Letter | undefined): Threads[] {
  const at = {
    start: state.length === 0,
    end: letter === undefined,
    wordBefore: state.wordBefore,
    wordAfter: letter?.word ?? false,
  };
  return programs.map((program, i): Threads => {
    const threads = state.threads[i];
    if (!threads || threads === "matched") return "matched";
    const waiting = program.waiting(threads, at);
    if (waiting.matched) return "matched";
    // A match may begin anywhere, so there is always a thread at the start.
    const next = new Set([program.start]);
    if (letter) {
      for (const thread of waiting.threads) {
        const instruction = program.instructions[thread];
        if (instruction?.kind === "set" && contains(instruction.set, letter.point))
          next.add(instruction.next);
      }
    }
    return [...next].sort((a, b) => a - b);
  });
}

function keyOf(state: State, minLength: number): string {
  // Beyond the least length it no longer matters how long the text is: a shorter one came first.
  const length = Math.min(state.length, Math.max(minLength, 1));
  return `${length};${state.wordBefore};${state.threads.join(";")}`;
}

function textOf(end: State): string {
  const points: number[] = [];
  for (let state: State | undefined = end; state?.from; state = state.from) points.push(state.by);
  return String.fromCodePoint(...points.reverse());
}
