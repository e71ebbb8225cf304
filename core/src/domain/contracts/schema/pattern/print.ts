import type { CodePoints } from "./code-points.ts";
import type { Expression } from "./parse.ts";

/** RE2's spelling of an expression. Every character is written as a number, so nothing can be misread. */
export function toRe2(expression: Expression): string {
  switch (expression.kind) {
    case "set":
      return printSet(expression.set);
    case "start":
      return "\\A";
    case "end":
      // Not `$`: in some engines that also matches before a line end at the end of the text.
      return "\\z";
    case "boundary":
      return "\\b";
    case "notBoundary":
      return "\\B";
    case "sequence":
      return expression.items.map(toRe2).join("");
    case "choice":
      return `(?:${expression.items.map(toRe2).join("|")})`;
    case "repeat":
      return `(?:${toRe2(expression.item)})${quantifier(expression.min, expression.max)}`;
  }
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function printSet(set: CodePoints): string {
  const [first] = set;
  if (!first) return "[^\\x{0}-\\x{10FFFF}]";
  if (set.length === 1 && first[0] === first[1]) return hex(first[0]);
  return `[${set.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join("")}]`;
}

function hex(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

/** About how many instructions the expression compiles to, known before anything is compiled. */
export function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case "set":
      return 1 + (expression.set.length >> 4);
    case "sequence":
    case "choice":
      return expression.items.reduce((sum, item) => sum + sizeOf(item) + 1, 1);
    case "repeat": {
      const times = expression.max === Number.POSITIVE_INFINITY ? expression.min + 1 : expression.max;
      return 1 + sizeOf(expression.item) * Math.max(1, times);
    }
    default:
      return 1;
  }
}

/** The largest count in any repetition, where repetitions within repetitions multiply. */
export function mostRepeats(expression: Expression): number {
  switch (expression.kind) {
    case "sequence":
    case "choice":
      return expression.items.reduce((most, item) => Math.max(most, mostRepeats(item)), 0);
    case "repeat": {
      const own = expression.max === Number.POSITIVE_INFINITY ? expression.min : expression.max;
      return Math.max(1, own) * Math.max(1, mostRepeats(expression.item));
    }
    default:
      return 0;
  }
}
