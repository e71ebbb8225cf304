import { RE2JS } from "re2js";
import { limits } from "../limits.ts";
import { PatternError, parsePattern } from "./parse.ts";
import { mostRepeats, sizeOf, toRe2 } from "./print.ts";

export { type CodePoints, wordCharacters } from "./code-points.ts";
export { type Expression, PatternError, parsePattern } from "./parse.ts";
export { toRe2 } from "./print.ts";

const RE2_MAX_REPEAT = 1_000;
/** One step is worth this many characters times instructions, as a power of two. */
const COST_SHIFT = 4;

/** A regular expression of JSON Schema that is matched in time linear in the text. */
export interface Pattern {
  /** As the schema has it. */
  readonly source: string;
  /** How much one character of text may cost. */
  readonly size: number;
  /** Steps that a test of this text is worth. */
  cost(text: string): number;
  test(text: string): boolean;
}

/** @throws PatternError whose message completes "the pattern … :". */
export function compilePattern(source: string): Pattern {
  if (source.length > limits.patternLength) {
    throw new PatternError(`it is longer than ${limits.patternLength} characters`);
  }
  const { expression, strict } = parsePattern(source);
  if (strict) checkSyntax(source);
  if (mostRepeats(expression) > RE2_MAX_REPEAT) {
    throw new PatternError(`it repeats something more than ${RE2_MAX_REPEAT} times, all in all`);
  }
  const size = sizeOf(expression);
  if (size > limits.patternSize) {
    throw new PatternError(`written out, it is larger than ${limits.patternSize} steps`);
  }
  const program = compileRe2(toRe2(expression));
  return {
    source,
    size,
    cost: (text) => 1 + ((text.length * size) >> COST_SHIFT),
    test: (text) => program.test(text),
  };
}

/** The engine's own parser has the last word on what is a regular expression: group names, for instance. */
function checkSyntax(source: string): void {
  try {
    new RegExp(source, "u");
  } catch {
    throw new PatternError("it is not a regular expression");
  }
}

function compileRe2(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (cause) {
    throw new PatternError("it cannot be compiled", { cause });
  }
}
